# SPDX-License-Identifier: MIT
"""Locks that lose wake-ups: only on demand, and with a watchdog that tells how many."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("FENCEPOST_BUILD_DIR", ROOT / "build" / "release"))
PROGRAMS = BUILD / "tests" / "preload"

TOLD = re.compile(r"fencepost run: (\S+) \((\d+)\) lost (\d+) wake-ups on the unsound (\S+)")


def _run(*words: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [ROOT / "fencepost", "run", *words],
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=1800,
        check=False,
    )


def _listed() -> list[str]:
    told = _run("--list").stdout
    _, found, block = told.partition("with --unsound")
    assert found
    return [line.split()[0] for line in block.splitlines()[1:]]


def test_those_are_listed_apart_that_the_checker_refutes() -> None:
    from test_verdicts import EXPECTED

    refuted = {f"event_mutex-{protocol}" for protocol, kinds in EXPECTED.items() if any(kinds)}
    assert set(_listed()) == refuted


def test_without_the_flag_they_are_refused_with_the_reason() -> None:
    done = _run("--lock", "event_mutex-trunk", "--", "true")
    assert (done.returncode, done.stdout) == (3, "")
    assert "is unsound: the checker finds" in done.stderr
    assert "--unsound lets" in done.stderr


@pytest.mark.parametrize(
    ("lock", "said"),
    [
        ("mutex", "mutex is sound: leave --unsound out"),
        ("glibc", "glibc is not among the unsound locks"),
        ("event_mutex-trnk", "event_mutex-trunk"),
    ],
)
def test_the_flag_is_for_nothing_else(lock: str, said: str) -> None:
    done = _run("--unsound", "--lock", lock, "--", "true")
    assert done.returncode == 3
    assert said in done.stderr


def test_programs_get_on_and_tell_what_was_lost() -> None:
    for lock in _listed():
        done = _run("--unsound", "--lock", lock, "--", PROGRAMS / "preload_standard_library")
        assert done.returncode == 0, done.stderr
        ((program, _, lost, named),) = TOLD.findall(done.stderr)
        assert (program, named) == ("preload_standard_library", lock)
        assert int(lost) >= 0


def test_it_is_told_by_each_process_also_by_one_that_closes_its_standard_error() -> None:
    """ls does, at its exit."""
    script = "import subprocess, sys; subprocess.run(['ls', '-d', '/']); sys.exit(4)"
    done = _run("--unsound", "--lock", "event_mutex-trunk", "--", sys.executable, "-c", script)
    assert (done.returncode, done.stdout) == (4, "/\n")
    told = TOLD.findall(done.stderr)
    assert told[0][0] == "ls"
    assert len({process for _, process, *_ in told}) == len(told) == 2


def test_nothing_is_written_into_a_file_that_took_its_place() -> None:
    script = "import os; os.closerange(2, 1000); [os.open('/dev/null', 1) for _ in range(300)]"
    done = _run("--unsound", "--lock", "event_mutex-trunk", "--", sys.executable, "-c", script)
    assert done.returncode == 0
    assert not TOLD.search(done.stderr)
