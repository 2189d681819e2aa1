# SPDX-License-Identifier: MIT
"""Why a surprising execution is allowed, in words."""

from __future__ import annotations

from dataclasses import replace

import pytest
from executions import (
    Letters,
    X,
    Y,
    Z,
    event,
    execution,
    fence,
    message_passing,
    read,
    store_buffering,
    write,
)
from fencepost.execution import Execution
from fencepost.explain import NOTHING_WEAK, explanation
from fencepost.steps import steps_of


def told(found: Execution) -> list[str]:
    return explanation(found, steps_of(found, Letters()), Letters())


def test_an_interleaving_needs_no_weak_memory() -> None:
    one = write((1, 1), X, 1)
    assert told(execution(one, read((2, 1), X, one))) == [NOTHING_WEAK]


def test_under_x86_the_store_is_still_in_its_buffer() -> None:
    first, second = told(store_buffering(model="x86"))
    assert "'s store to " in first
    assert "is still in its store buffer when" in first and "reads the old value 0" in first
    assert "a seq_cst fence between the two would make it wait" in second


def test_what_emptied_the_buffer_is_not_asked_for_again() -> None:
    """One thread has the fence that the other one lacks."""
    found = execution(
        write((1, 1), X, 1),
        fence((1, 2)),
        read((1, 3), X + 0x1000),
        write((2, 1), X + 0x1000, 1),
        read((2, 2), X),
        model="x86",
    )
    sentences = told(found)
    assert any("T2's store to y" in text for text in sentences)
    assert not any("T1 does not wait" in text or "T1's store" in text for text in sentences)


def test_without_synchronisation_the_sides_that_lack_it_are_named() -> None:
    stale, why = told(message_passing("rlx", "acq"))
    assert stale == "T2 reads the old x = 0 (step 4), although T1 wrote 42 in step 1."
    assert "T2 does see T1's store of 1 to y (step 2) in step 3" in why
    assert "the write is relaxed" in why and "the read is" not in why
    _, why = told(message_passing("rel", "rlx"))
    assert "the read is relaxed" in why and "the write is" not in why


@pytest.mark.parametrize("order", ["rlx", "acq_rel"])
def test_store_buffering_lacks_a_psc_edge_in_each_thread(order: str) -> None:
    sentences = [text for text in told(store_buffering(order)) if "there is no psc edge" in text]
    assert len(sentences) == 2
    assert {text.partition("'s ")[0] for text in sentences} == {
        "Nothing keeps T1",
        "Nothing keeps T2",
    }


def test_a_thread_with_its_fence_lacks_nothing() -> None:
    found = execution(
        write((1, 1), X, 1),
        fence((1, 2)),
        read((1, 3), X + 0x1000),
        write((2, 1), X + 0x1000, 1, "rel"),
        read((2, 2), X, None, "acq"),
    )
    (gap,) = [text for text in told(found) if "there is no psc edge" in text]
    assert gap.startswith("Nothing keeps T2's store of 1 to y")


def test_two_accesses_that_nothing_orders_are_named_and_what_was_seen_in_vain() -> None:
    flag = write((1, 2), X, 1)
    found = execution(
        event("plain", (1, 1), what="plain write", address=0x3000),
        flag,
        read((2, 1), X, flag, "acq"),
        event("plain", (2, 2), what="plain read", address=0x3000),
    )
    found = replace(found, highlight=frozenset({(1, 1), (2, 2)}))
    order, seen = told(found)
    assert order.startswith("Nothing orders T1's step 1 and T2's step 4")
    assert "in step 3, but that is no synchronisation: the write is relaxed" in seen


def test_under_sc_nothing_is_said_that_would_not_be_true() -> None:
    assert told(store_buffering(model="sc")) == []


@pytest.mark.parametrize("model", ["c++14", "c++20"])
def test_under_cpp14_it_is_the_last_store_that_lets_a_load_go_back(model: str) -> None:
    """The four threads of 13 July: Z, X, W and Y."""
    old, published = write((1, 1), X, 1, "rel"), write((1, 2), Y, 1, "rel")
    first, last = write((2, 2), X, 2, "sc"), write((3, 1), X, 3, "sc")
    found = execution(
        *(old, published, read((2, 1), Y, published, "acq"), first, last),
        *(read((2, 3), Z, None, "sc"), write((4, 1), Z, 1, "sc")),
        read((4, 2), X, old, "sc"),
        model=model,
    )
    text = " ".join(told(found))
    says = "T1's store of 1 to x (step 1, release) is known to T2's seq_cst store of 2 to x"
    assert (says in text) == (model == "c++14")
    assert ("T3's (step" in text and "knows nothing of the old one" in text) == (model == "c++14")
