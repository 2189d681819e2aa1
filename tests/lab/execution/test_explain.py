# SPDX-License-Identifier: MIT
"""Why a surprising execution is allowed, in words."""

from __future__ import annotations

import pytest
from fencepost.execution.cycle import shortest_cycle
from fencepost.execution.explain import NOTHING_WEAK
from litmus import Found, counterexample


def store_buffering(model: str, order: str = "relaxed", between: str = "") -> Found:
    """Each of two threads writes one variable and reads the initial value of the other's."""
    return counterexample(
        model,
        "r[1] == 0 && r[2] == 0",
        f"STORE(x, 1, {order}); {between}; r[1] = LOAD(y, {order})",
        f"STORE(y, 1, {order}); {between}; r[2] = LOAD(x, {order})",
    )


def message_passing(publish: str, look: str) -> Found:
    """T2 sees the flag and an old payload."""
    return counterexample(
        "c++20",
        "r[1] == 1 && r[2] == 0",
        f"STORE(x, 42, relaxed); STORE(y, 1, {publish})",
        f"r[1] = LOAD(y, {look}); r[2] = LOAD(x, relaxed)",
    )


def test_an_interleaving_needs_no_weak_memory() -> None:
    found = counterexample("c++20", "r[2] == 1", "STORE(x, 1, relaxed)", "r[2] = LOAD(x, relaxed)")
    assert found.told() == [NOTHING_WEAK]
    assert shortest_cycle(found.execution) == ()


def test_an_interleaving_is_found_where_there_is_one() -> None:
    """T1's second store is the last of all, though T2's comes after its first."""
    found = counterexample(
        "c++20",
        "r[2] == 1 && LOAD(x, relaxed) == 1",
        "STORE(y, 1, relaxed); STORE(x, 1, relaxed)",
        "r[2] = LOAD(y, relaxed); STORE(x, 2, relaxed)",
    )
    assert found.told() == [NOTHING_WEAK]
    own = [step.thread for step in found.steps if step.thread != 0]
    assert own == [1, 2, 2, 1]


def test_a_weak_execution_has_a_single_stale_read_and_its_cycle() -> None:
    found = store_buffering("c++20")
    assert sum(step.missed is not None for step in found.steps) == 1
    in_cycle = {found.execution.by_id[event].thread for event in shortest_cycle(found.execution)}
    assert in_cycle == {1, 2} and len(shortest_cycle(found.execution)) == 4


def test_program_order_and_reads_from_are_always_kept() -> None:
    """2+2W: both orders contradict program order."""
    found = counterexample(
        "c++20",
        "LOAD(x, relaxed) == 1 && LOAD(y, relaxed) == 1",
        "STORE(x, 1, relaxed); STORE(y, 2, relaxed)",
        "STORE(y, 1, relaxed); STORE(x, 2, relaxed)",
    )
    assert found.step(1, 1) < found.step(1, 2) and found.step(2, 1) < found.step(2, 2)
    assert sum(step.before is not None for step in found.steps) == 1
    assert len(shortest_cycle(found.execution)) == 4


def test_under_x86_the_store_is_still_in_its_buffer() -> None:
    first, second = store_buffering("x86").told()
    assert "'s store to " in first
    assert "is still in its store buffer when" in first and "reads the old value 0" in first
    assert "a seq_cst fence between the two would make it wait" in second


def test_what_empties_the_buffer_is_not_asked_for_again() -> None:
    """One thread has the fence that the other one lacks."""
    found = counterexample(
        "x86",
        "r[1] == 0 && r[2] == 0",
        "STORE(x, 1, relaxed); FENCE(seq_cst); r[1] = LOAD(y, relaxed)",
        "STORE(y, 1, relaxed); r[2] = LOAD(x, relaxed)",
    )
    sentences = found.told()
    assert any("T2's store to y" in text for text in sentences)
    assert not any("T1 does not wait" in text or "T1's store" in text for text in sentences)


def test_a_barrier_leaves_the_store_where_it_is() -> None:
    """What a pthread_barrier does to the buffer is the checker's to know."""
    found = counterexample(
        "x86",
        "r[1] == 0 && r[2] == 0",
        "pthread_barrier_wait(&both); STORE(x, 1, relaxed); r[1] = LOAD(y, relaxed)",
        "pthread_barrier_wait(&both); STORE(y, 1, relaxed); r[2] = LOAD(x, relaxed)",
    )
    first, second = found.told()
    assert "is still in its store buffer when" in first and "does not wait for it" in second


def test_without_synchronisation_the_sides_that_lack_it_are_named() -> None:
    found = message_passing("relaxed", "acquire")
    stale, why = found.told()
    old, new = found.step(2, 2), found.step(1, 1)
    assert stale == f"T2 reads the old x = 0 (step {old}), although T1 wrote 42 in step {new}."
    seen, flag = found.step(2, 1), found.step(1, 2)
    assert f"T2 does see T1's store of 1 to y (step {flag}) in step {seen}" in why
    assert "the write is relaxed" in why and "the read is" not in why
    _, why = message_passing("release", "relaxed").told()
    assert "the read is relaxed" in why and "the write is" not in why


@pytest.mark.parametrize("between", ["", "FENCE(acq_rel)"])
def test_store_buffering_lacks_a_psc_edge_in_each_thread(between: str) -> None:
    told = store_buffering("c++20", between=between).told()
    sentences = [text for text in told if "there is no psc edge" in text]
    assert len(sentences) == 2
    assert {text.partition("'s ")[0] for text in sentences} == {
        "Nothing keeps T1",
        "Nothing keeps T2",
    }


def test_a_thread_with_its_fence_lacks_nothing() -> None:
    found = counterexample(
        "c++20",
        "r[1] == 0 && r[2] == 0",
        "STORE(x, 1, relaxed); FENCE(seq_cst); r[1] = LOAD(y, relaxed)",
        "STORE(y, 1, release); r[2] = LOAD(x, acquire)",
    )
    (gap,) = [text for text in found.told() if "there is no psc edge" in text]
    assert gap.startswith("Nothing keeps T2's store of 1 to y")


def test_two_accesses_that_nothing_orders_are_named_and_what_was_seen_in_vain() -> None:
    found = counterexample(
        "c++20",
        "0",
        "data = 1; STORE(x, 1, relaxed)",
        "if (LOAD(x, acquire)) r[2] = data",
    )
    order, seen = found.told()
    written, read = found.step(1, 1), found.step(2, 2)
    assert order.startswith(f"Nothing orders T1's step {written} and T2's step {read}")
    in_vain = f"in step {found.step(2, 1)}, but that is no synchronisation: the write is relaxed"
    assert in_vain in seen


def test_under_sc_nothing_weak_is_told() -> None:
    found = counterexample("sc", "r[2] == 1", "STORE(x, 1, relaxed)", "r[2] = LOAD(x, relaxed)")
    assert found.told() == [NOTHING_WEAK]


def test_under_cpp14_it_is_the_last_store_that_lets_a_load_go_back() -> None:
    """The four threads of 13 July: Z, X, W and Y."""
    found = counterexample(
        "c++14",
        "r[1] == 1 && r[2] == 0 && r[3] == 1 && LOAD(x, relaxed) == 3",
        "STORE(x, 1, release); STORE(y, 1, release)",
        "r[1] = LOAD(y, acquire); STORE(x, 2, seq_cst); r[2] = LOAD(z, seq_cst)",
        "STORE(x, 3, seq_cst)",
        "STORE(z, 1, seq_cst); r[3] = LOAD(x, seq_cst)",
    )
    text = " ".join(found.told())
    at = found.step(1, 1)
    says = f"T1's store of 1 to x (step {at}, release) is known to T2's seq_cst store of 2 to x"
    assert says in text
    assert "T3's (step" in text and "knows nothing of the old one" in text
