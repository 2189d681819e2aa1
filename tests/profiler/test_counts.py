# SPDX-License-Identifier: MIT
"""What is counted of a program's locks is what the program did with them."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeAlias

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "tests" / "profiler" / "counted.c"
LOCKS = ("mutex", "glibc")

Told: TypeAlias = dict[str, Any]


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("counted") / "counted"
    subprocess.run(["gcc", "-O1", "-g", "-Wall", "-pthread", "-o", made, SOURCE], check=True)
    return made


def _told(lock: str, folder: Path, *words: str | Path, more: Sequence[str | Path] = ()) -> Told:
    """The JSON of a run, with what was printed. `more` are options of the run."""
    file = folder / "told.json"
    done = subprocess.run(
        [ROOT / "fencepost", "run", "--lock", lock, "--stats", file, *more, "--", *words],
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    told: Told = json.loads(file.read_text())
    return told | {"report": done.stderr, "printed": done.stdout}


def _only(told: Told, kind: str) -> Told:
    """The one lock of this kind."""
    (lock,) = (
        lock for process in told["processes"] for lock in process["locks"] if lock["kind"] == kind
    )
    found: Told = lock
    return found


def test_a_notification_and_a_post_are_counted_once(program: Path, tmp_path: Path) -> None:
    told = _told("mutex", tmp_path, program, "notify")
    assert _only(told, "condition")["wakes"] == 1
    assert _only(told, "semaphore")["wakes"] == 2


@pytest.mark.parametrize("lock", LOCKS)
def test_who_waits_with_a_mutex_that_is_not_its_own_does_not_have_it_afterwards(
    program: Path, tmp_path: Path, lock: str
) -> None:
    told = _told(lock, tmp_path, program, "wait_without")
    mutex = _only(told, "mutex")
    assert (mutex["acquisitions"], mutex["held_ns"]) == (0, 0)


@pytest.mark.parametrize("lock", LOCKS)
def test_threads_one_after_another_hand_a_lock_over(
    program: Path, tmp_path: Path, lock: str
) -> None:
    """Though each may have the place in the table of the one before."""
    counted = _only(_told(lock, tmp_path, program, "hand_over"), "mutex")
    assert (counted["acquisitions"], counted["handovers"]) == (10, 9)


def test_who_is_cancelled_in_its_sleep_has_slept(program: Path, tmp_path: Path) -> None:
    told = _told("mutex", tmp_path, program, "cancel")
    for kind in ("condition", "semaphore"):
        counted = _only(told, kind)
        assert (counted["timed_out"], counted["sleeps"]) == (1, 1), kind
        assert counted["slept_ns"] > counted["waited_ns"] / 2 > 50e6, kind


def test_sleeps_inside_glibc_are_not_told_as_spinning(program: Path, tmp_path: Path) -> None:
    """Where it has a lock of its own in a run on another one."""
    unseen = dict.fromkeys(("slept_ns", "sleeps", "spun_ns", "wakes"))
    told = _told("mutex", tmp_path, program, "prefer_writers")
    assert _only(told, "read_write").items() >= unseen.items()
    assert told["totals"].items() >= unseen.items()
    assert told["totals"]["waited_ns"] > 0 and told["sees_sleeps"]
    assert "asleep" not in told["report"] and "sleeping inside the C library" in told["report"]
    (thread,) = told["processes"][0]["threads"]
    assert thread["waited_ns"] > 0 and (thread["slept_ns"], thread["sleeps"]) == (None, None)
    told = _told("mutex", tmp_path, program, "share")
    for kind in ("semaphore", "condition"):
        assert _only(told, kind).items() >= unseen.items(), kind
    assert _only(told, "mutex")["slept_ns"] is not None
    told = _told("mutex", tmp_path, program, "robust")
    assert _only(told, "condition").items() >= unseen.items()
    assert _only(told, "semaphore")["slept_ns"] > 0


def test_a_thread_on_glibcs_locks_may_have_slept_unseen(program: Path, tmp_path: Path) -> None:
    (thread,) = _told("glibc", tmp_path, program, "notify")["processes"][0]["threads"]
    assert (thread["slept_ns"], thread["sleeps"]) == (None, None)


@pytest.mark.parametrize("lock", LOCKS)
def test_code_that_comes_where_other_code_was_is_told_apart(tmp_path: Path, lock: str) -> None:
    """Libraries are loaded one after another at the same address."""
    tests = ROOT / "tests" / "profiler"
    compile_ = ["gcc", "-O1", "-g", "-Wall", "-pthread"]
    words: list[str | Path] = [tmp_path / "plugins"]
    subprocess.run([*compile_, "-o", *words, tests / "plugins.c"], check=True)
    for name in ("alpha", "beta"):
        library = [f"-DPLUGIN={name}", "-shared", "-fPIC", tests / "plugin.c"]
        subprocess.run([*compile_, "-o", tmp_path / f"{name}.so", *library], check=True)
    for name, rounds in (("alpha", 1), ("beta", 5), ("alpha", 20), ("alpha", 100)):
        words += [tmp_path / f"{name}.so", name, str(rounds)]
    flame = tmp_path / "waits.folded"
    told = _told(lock, tmp_path, *words, more=("--flame", flame))
    assert len(set(told["printed"].split())) == 1  # or there is nothing to tell apart
    counted = {
        (site["kind"], site["site"]["function"]): (site["acquisitions"], site["timed_out"])
        for site in told["sites"]
        if Path(site["site"]["module"]).name != "plugins"
    }
    assert counted == {
        ("mutex", "alpha"): (242, 0),
        ("mutex", "beta"): (10, 0),
        ("condition", "alpha"): (0, 121),
        ("condition", "beta"): (0, 5),
    }
    assert sorted(re.findall(r";main\b.*?;(\w+)", flame.read_text())) == ["alpha", "beta"]


@pytest.mark.parametrize("lock", LOCKS)
def test_threads_live_from_their_beginning_on(program: Path, tmp_path: Path, lock: str) -> None:
    """Not from their first lock on."""
    told = _told(lock, tmp_path, program, "live_long")
    lived = float(told["printed"])
    assert lived > 1.2
    (process,) = told["processes"]
    assert lived - 0.001 < process["thread_seconds"] < 1.5 * lived
    assert told["totals"]["thread_seconds"] == process["thread_seconds"]
    assert process["seconds"] > 0.3


def test_a_life_of_unknown_length_is_no_number(program: Path, tmp_path: Path) -> None:
    told = _told("mutex", tmp_path, program, "begin_unseen")
    assert told["processes"][0]["thread_seconds"] is None
    assert told["totals"]["thread_seconds"] is None and told["totals"]["waiting_share"] is None
    assert "threads' time" not in told["report"]


@pytest.mark.parametrize("lock", LOCKS)
def test_what_is_counted_of_what_processes_share(program: Path, tmp_path: Path, lock: str) -> None:
    """Semaphores and condition variables; the mutex is one's own."""
    (process,) = _told(lock, tmp_path, program, "share")["processes"]
    kinds = sorted(one["kind"] for one in process["locks"])
    assert kinds == ["condition", "mutex", "semaphore"]
