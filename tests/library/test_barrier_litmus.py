# SPDX-License-Identifier: MIT
"""The litmus test of the heavy fences: every strategy that works here lets no store pass, and what
it writes is what docs/lab/results.md says. That `none` lets some pass is luck, and not asked."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fencepost.toolchain.toolchain import build_directory

SOUND = (
    "bare_private_expedited",
    "private_expedited",
    "global_expedited",
    "global",
    "mprotect",
    "ticket",
    "ticket_1_ms",
    "ticket_clock_alone",
    "virtual_clock",
    "full_fences",
)
UNSOUND = (
    "none",
    "none_in_flight",
    "wait_1_us",
    "wait_10_us",
    "mprotect_untouched",
    "ticket_of_own_processor",
    "bare_global_expedited",
)
OF_MANY_THREADS = (
    "none_in_flight",
    "ticket_of_own_processor",
    "global",
    "ticket",
    "ticket_1_ms",
    "ticket_clock_alone",
    "virtual_clock",
)


@pytest.fixture(scope="module")
def program() -> Path:
    path = build_directory() / "bench" / "barriers" / "litmus"
    if not path.exists():
        pytest.skip("bench_barriers_litmus is not built")
    return path


@pytest.fixture
def two_processors() -> None:
    if len(os.sched_getaffinity(0)) < 2:
        pytest.skip("one processor: nothing can pass anything")


def run(
    program: Path, *options: str, before: Callable[[], None] | None = None
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [program, *options], capture_output=True, text=True, check=False, preexec_fn=before
    )


def lines(done: subprocess.CompletedProcess[str]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.usefixtures("two_processors")
def test_no_strategy_that_works_here_lets_a_store_pass(program: Path) -> None:
    done = run(program, "--rounds", "3000", "--seconds", "0.5")
    assert done.returncode == 0, done.stdout + done.stderr
    described, *found, verdict = lines(done)
    assert described["kind"] == "run"
    assert described["rounds"] == 3000
    assert tuple(one["heavy"] for one in found) == (*UNSOUND, *SOUND)
    assert verdict["holds"]
    assert verdict["shows"] != ("prove nothing" in done.stderr)
    assert not verdict["shows"] or any(one.get("violations") for one in found)
    for one in found:
        assert one["sound"] == (one["heavy"] in SOUND)
        if one["usable"]:
            assert 0 < one["rounds"] <= 3000
            assert one["slow_threads"] == (512 if one["heavy"] in OF_MANY_THREADS else 1)
            assert one["overlapped"] <= one["rounds"]
            assert one["quick"] <= one["rounds"]
            assert one["violations"] == 0 or not one["sound"]
        else:
            assert "rounds" not in one
    assert found[-1]["usable"], "full fences work everywhere"
    assert found[-1]["nanoseconds"]["median"] <= found[-1]["nanoseconds"]["p99"]


@pytest.mark.usefixtures("two_processors")
def test_zeroes_are_not_taken_for_proof_where_nothing_was_compared(program: Path) -> None:
    done = run(program, "--rounds", "10", "--heavy", "full_fences", "--lines", "0")
    assert done.returncode == 0
    assert "`none` was not run, so zeroes prove nothing" in done.stderr
    described, only, verdict = lines(done)
    assert described["dirty_lines"] == 0
    assert only["rounds"] == 10
    assert verdict == {"kind": "verdict", "holds": True, "shows": False}


@pytest.mark.usefixtures("two_processors")
def test_zeroes_of_many_threads_need_a_control_of_many_threads(program: Path) -> None:
    done = run(
        program, "--rounds", "2000", "--seconds", "5", "--heavy", "none", "--heavy", "global"
    )
    assert done.returncode == 0
    *_, only, verdict = lines(done)
    if not only["usable"]:
        pytest.skip("this kernel has no membarrier that waits")
    assert "`none_in_flight` was not run, so zeroes of many threads prove nothing" in done.stderr
    assert not verdict["shows"]


@pytest.mark.usefixtures("two_processors")
@pytest.mark.parametrize("heavy", ["private_expedited", "none_in_flight", "full_fences"])
def test_as_many_rounds_are_run_as_were_asked_for(program: Path, heavy: str) -> None:
    done = run(program, "--rounds", "777", "--seconds", "60", "--heavy", heavy)
    _, only, _ = lines(done)
    assert only.get("rounds", 777) == 777


@pytest.mark.parametrize(
    ("options", "answer"),
    [
        (["--rounds", "0"], "--rounds 0: a whole number from 1"),
        (["--rounds", "1.5"], "a whole number"),
        (["--seconds", "soon"], "--seconds soon: a number from"),
        (["--lines", "1000"], "--lines 1000: a whole number from 0 to 256"),
        (["--heavy", "membarier"], "no heavy side called membarier"),
        (["twice"], "what is twice?"),
        (["--nonsense"], "--help lists the options"),
    ],
)
def test_options_that_cannot_be_are_refused(program: Path, options: list[str], answer: str) -> None:
    done = run(program, *options)
    assert done.returncode == 2
    assert answer in done.stderr
    assert done.stdout == ""


def test_one_processor_is_too_few(program: Path) -> None:
    first = min(os.sched_getaffinity(0))
    done = run(program, "--rounds", "1", before=lambda: os.sched_setaffinity(0, {first}))
    assert done.returncode == 2
    assert "two processors are needed" in done.stderr


def test_help_names_every_heavy_side(program: Path) -> None:
    done = run(program, "--help")
    assert done.returncode == 0
    assert all(f"    {name} " in done.stdout for name in (*UNSOUND, *SOUND))
