# SPDX-License-Identifier: MIT
"""The child of a fork() has the locks that its parent had at that moment, whatever either does
later; no deadlock is named where there is none."""

from __future__ import annotations

import re
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

ROOT = Path(__file__).resolve().parents[2]
LOCKS = ("mutex", "glibc")


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("forked") / "forked"
    source = ROOT / "tests" / "statistics" / "forked.c"
    subprocess.run(["gcc", "-O1", "-g", "-Wall", "-pthread", "-o", made, source], check=True)
    return made


@contextmanager
def _child(lock: str, program: Path, what: str) -> Iterator[int]:
    """The number of a child that has come to where it stays."""
    words = [ROOT / "fencepost", "run", "--lock", lock, "--stats", "--", program, what]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          text=True) as process:  # fmt: skip
        try:
            assert process.stdout is not None
            yield int(process.stdout.readline())
        finally:
            for child in psutil.Process(process.pid).children(recursive=True):
                child.kill()


def _dump(pid: int, expected: str) -> str:
    """What is said of it as soon as that holds what is expected."""
    while True:
        done = subprocess.run([ROOT / "fencepost", "run", "--dump", str(pid)], check=True,
                              capture_output=True, text=True)  # fmt: skip
        if re.search(expected, done.stdout):
            return done.stdout
        time.sleep(0.05)


@pytest.mark.parametrize("lock", LOCKS)
@pytest.mark.parametrize("what", ["parent takes", "child initialises"])
def test_no_deadlock_is_seen_where_there_is_none(what: str, lock: str, program: Path) -> None:
    with _child(lock, program, what) as pid:
        said = _dump(pid, r"has it for .*\n[^D]* waits ")
    assert "DEADLOCK" not in said
    assert said.count("has it") == 1 and "taken at have_second" in said


@pytest.mark.parametrize("lock", LOCKS)
@pytest.mark.parametrize("what", ["parent releases", "grandchild"])
def test_a_deadlock_through_an_inherited_lock_is_named(what: str, lock: str, program: Path) -> None:
    with _child(lock, program, what) as pid:
        said = _dump(pid, "DEADLOCK")
    assert "DEADLOCK: 2 threads wait for each other" in said
    assert f'thread {pid} "forked" has it for' in said and "taken at main" in said
