# SPDX-License-Identifier: MIT
"""The system calls that a program needs for its locks are those of docs/lab/run.md."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from compiled import ROOT, compiled, run_on

pytestmark = pytest.mark.crowd

PAGE = (ROOT / "docs" / "lab" / "run.md").read_text()
#: The number of each on x86-64, where this runs.
NUMBERS = {"sched_yield": "24", "membarrier": "324"}


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compiled(tmp_path_factory.mktemp("calls"), "calls")


@pytest.mark.parametrize(
    "lock",
    ["glibc", "mutex", "futex_mutex", "spin_mutex", "event_mutex-asymmetric-test_and_set"],
)
def test_a_lock_makes_the_calls_that_are_documented(program: Path, lock: str) -> None:
    (allowed,) = re.findall(r"its\s+filter\s+has\s+to\s+allow\s+(.*?)\.", PAGE, re.DOTALL)
    names = [name for name in re.findall(r"`(\w+)`", allowed) if name in NUMBERS]
    assert names == list(NUMBERS)
    if lock == "glibc":
        names = []
    elif "asymmetric" not in lock:
        names.remove("membarrier")
    done = run_on(lock, program, *(NUMBERS[name] for name in names))
    assert (done.returncode, done.stdout) == (0, "over\n"), done.stderr
