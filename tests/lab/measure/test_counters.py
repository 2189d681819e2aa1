# SPDX-License-Identifier: MIT
"""What the kernel counts of a program that is measured, and of nobody else."""

from __future__ import annotations

import subprocess
import sys

import pytest
from fencepost.measure.counters import Counters

#: In nanoseconds: PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, which needs nothing of a processor.
TASK_CLOCK = {"task_clock": (1, 1)}
BUSY = "import time; start = time.process_time()\nwhile time.process_time() < start + 0.2: pass"


def test_what_a_program_does_is_counted_and_what_this_process_does_is_not() -> None:
    counters = Counters(TASK_CLOCK)
    if not counters.names:
        pytest.skip(counters.why_not)
    exec(BUSY)
    assert counters.taken() == {}
    subprocess.run([sys.executable, "-c", BUSY], check=True)
    assert 0.2e9 <= counters.taken()["task_clock"] < 60e9
    assert counters.taken() == {}
    counters.close()


def test_where_there_is_no_such_counter_it_says_why() -> None:
    counters = Counters({"nothing": (12345, 1)})
    assert counters.names == ()
    assert counters.why_not.startswith("perf_event_open: ")
    assert counters.taken() == {}
