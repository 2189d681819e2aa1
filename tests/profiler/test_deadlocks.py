# SPDX-License-Identifier: MIT
"""A deadlock is named where there is one, and none where there is none: whatever a parent does
after a fork(), and however many locks a thread has."""

from __future__ import annotations

import json
import re
import resource
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

ROOT = Path(__file__).resolve().parents[2]
LOCKS = ("mutex", "glibc")


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("deadlocks") / "deadlocks"
    source = ROOT / "tests" / "profiler" / "deadlocks.c"
    subprocess.run(["gcc", "-O1", "-g", "-Wall", "-pthread", "-o", made, source], check=True)
    return made


@contextmanager
def _standing(
    lock: str, program: Path, what: str, limit: Callable[[], None] | None = None
) -> Iterator[int]:
    """The number of the process that has come to where it stays."""
    words = [ROOT / "fencepost", "run", "--lock", lock, "--stats", "--", program, what]
    with subprocess.Popen(
        words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, preexec_fn=limit
    ) as process:
        try:
            assert process.stdout is not None
            yield int(process.stdout.readline())
        finally:
            for child in psutil.Process(process.pid).children(recursive=True):
                child.kill()


def _dump(pid: int, expected: str) -> str:
    """What is said of it as soon as that holds what is expected."""
    while True:
        done = subprocess.run(
            [ROOT / "fencepost", "run", "--dump", str(pid)],
            check=True,
            capture_output=True,
            text=True,
        )
        if re.search(expected, done.stdout):
            return done.stdout
        time.sleep(0.05)


@pytest.mark.parametrize("lock", LOCKS)
@pytest.mark.parametrize("what", ["parent takes", "child initialises"])
def test_no_deadlock_is_seen_where_there_is_none(what: str, lock: str, program: Path) -> None:
    with _standing(lock, program, what) as pid:
        said = _dump(pid, r"has it for .*\n[^D]* waits ")
    assert "DEADLOCK" not in said
    assert said.count("has it") == 1 and "taken at have_second" in said


@pytest.mark.parametrize("lock", LOCKS)
@pytest.mark.parametrize("what", ["parent releases", "grandchild"])
def test_a_deadlock_through_an_inherited_lock_is_named(what: str, lock: str, program: Path) -> None:
    with _standing(lock, program, what) as pid:
        said = _dump(pid, "DEADLOCK")
    assert "DEADLOCK: 2 threads wait for each other" in said
    assert f'thread {pid} "deadlocks" has it for' in said and "taken at main" in said


@pytest.mark.parametrize("lock", LOCKS)
def test_who_once_had_a_lock_is_not_taken_for_its_holder(lock: str, program: Path) -> None:
    with _standing(lock, program, "reader of many") as pid:
        said = _dump(pid, "waits .* for|nobody is seen to have it")
    assert "DEADLOCK" not in said
    assert "nobody is seen to have it" in said


@pytest.mark.parametrize("lock", LOCKS)
def test_a_deadlock_through_locks_that_are_not_told_apart_is_named(
    lock: str, program: Path
) -> None:
    with _standing(lock, program, "each has many") as pid:
        said = _dump(pid, "DEADLOCK")
    assert "DEADLOCK: 2 threads wait for each other" in said
    assert said.count("has it, as one of more than 17") >= 2


@pytest.mark.parametrize("lock", LOCKS)
def test_a_deadlock_through_the_mutex_of_a_wait_is_named(lock: str, program: Path) -> None:
    with _standing(lock, program, "notified") as pid:
        said = _dump(pid, "DEADLOCK")
    assert "DEADLOCK: 2 threads wait for each other" in said
    assert "and then needs mutex" in said


def _small_files() -> None:
    """There is room for 1024 locks, of which one is none and six are all others of their kind."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))


@pytest.mark.parametrize("lock", LOCKS)
def test_locks_that_found_no_room_are_not_taken_for_one(lock: str, program: Path) -> None:
    with _standing(lock, program, "no room", _small_files) as pid:
        said = _dump(pid, "1 wait for one")
    assert "DEADLOCK" not in said
    assert "mutex (all that found no room in the table)" in said


def test_locks_that_found_no_room_are_counted(program: Path, tmp_path: Path) -> None:
    told = tmp_path / "told.json"
    words = [ROOT / "fencepost", "run", "--lock", "mutex", "--stats", told, "--", program]
    done = subprocess.run(
        [*words, "no room, and ends"],
        preexec_fn=_small_files,
        check=True,
        capture_output=True,
        text=True,
    )
    (process,) = json.loads(told.read_text())["processes"]
    lost = 3000 - (1024 - 7)
    assert process["lost_locks"] == lost
    assert f"{lost:,} are counted together" in done.stderr
    (others,) = [lock for lock in process["locks"] if lock["address"] is None]
    assert (others["kind"], others["acquisitions"], others["held_ns"]) == ("mutex", lost, None)
