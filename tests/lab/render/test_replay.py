# SPDX-License-Identifier: MIT
"""What memory holds at each step, what waits in buffers, what a thread may still read."""

from __future__ import annotations

import pytest
from litmus import counterexample

STORE_BUFFERING = (
    "r[1] == 0 && r[2] == 0",
    "STORE(x, 1, relaxed); r[1] = LOAD(y, relaxed)",
    "STORE(y, 1, relaxed); r[2] = LOAD(x, relaxed)",
)


def test_a_store_waits_until_the_read_that_must_not_see_it() -> None:
    found = counterexample("x86", *STORE_BUFFERING)
    late = next(step.thread for step in found.steps if step.action.startswith("writes"))
    other = 3 - late
    name, other_name = ("x", "y") if late == 1 else ("y", "x")
    for at in (found.step(late, 1), found.step(late, 2), found.step(other, 2)):
        assert (found.cell(at, name), found.cell(at, name, late)) == ("0", "1")
    assert found.cell(found.step(other, 1), other_name) == "1", "this one need not wait"


def test_a_store_that_need_not_wait_goes_to_memory_at_once() -> None:
    found = counterexample("x86", "r[2] == 1", "STORE(x, 1, relaxed)", "r[2] = LOAD(x, relaxed)")
    assert not any(event.waiting for event in found.execution.events)


def test_its_own_store_is_read_from_the_buffer() -> None:
    found = counterexample(
        "x86",
        "r[1] == 1 && r[2] == 0 && r[3] == 0",
        "STORE(x, 1, relaxed); r[1] = LOAD(x, relaxed); r[2] = LOAD(y, relaxed)",
        "STORE(y, 1, relaxed); FENCE(seq_cst); r[3] = LOAD(x, relaxed)",
    )
    at = found.step(1, 2)
    assert (found.cell(at, "x"), found.cell(at, "x", 1)) == ("0", "1")


@pytest.mark.parametrize("look, older", [("acquire", ""), ("relaxed", "0")])
def test_acquiring_takes_the_old_value_away_and_relaxed_reading_does_not(
    look: str, older: str
) -> None:
    found = counterexample(
        "c++20",
        "r[2] == 1",
        "r[1] = LOAD(x, relaxed); STORE(x, 42, relaxed); STORE(y, 1, release)",
        f"r[2] = LOAD(y, {look})",
    )
    at = found.step(2, 1)
    assert found.cell(at, "x") == "42"
    assert found.cell(at, "x", 2) == older
    assert found.cell(at, "x", 1) == "", "its own"


def test_a_fence_completes_what_a_relaxed_read_began() -> None:
    found = counterexample(
        "c++20",
        "r[2] == 1",
        "STORE(x, 42, relaxed); FENCE(release); STORE(y, 1, relaxed)",
        "r[2] = LOAD(y, relaxed); FENCE(acquire)",
    )
    first, last = found.step(2, 1), found.step(2, 2)
    assert [found.cell(at, "x", 2) for at in (first, last)] == ["the initial value", ""]


@pytest.mark.parametrize(
    "model, then, older",
    [
        ("c++20", "T2: ADD(y, 1, relaxed)", ""),
        ("c++20", "T2: STORE(y, 2, relaxed)", "the initial value"),
        ("c++20", "T1: STORE(y, 2, relaxed)", "the initial value"),
        ("c++14", "T1: STORE(y, 2, relaxed)", ""),
    ],
)
def test_a_read_modify_write_goes_on_with_a_release_sequence_and_a_store_does_not(
    model: str, then: str, older: str
) -> None:
    """C++14 goes on with it by a store of its own thread, too."""
    by_first = then.removeprefix("T1: ") if then.startswith("T1") else "(void)0"
    by_second = then.removeprefix("T2: ") if then.startswith("T2") else "(void)0"
    found = counterexample(
        model,
        "r[3] == 2",
        f"STORE(x, 42, relaxed); STORE(y, 1, release); {by_first}",
        f"if (LOAD(y, relaxed) == 1) {{ {by_second}; }}",
        "r[3] = LOAD(y, acquire)",
    )
    assert found.cell(found.step(3, 1), "x", 3) == older


def test_under_sc_there_is_memory_alone() -> None:
    found = counterexample("sc", "r[1] == 1", "STORE(x, 1, relaxed); r[1] = LOAD(x, relaxed)")
    assert found.table().width == 1
