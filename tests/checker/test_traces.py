# SPDX-License-Identifier: MIT
"""What a counterexample says of values and of one-sided fences, and what a certificate assumes."""

from __future__ import annotations

from typing import Any

import pytest
from fencepost.explore.annotated import Case, cases_of
from test_programs import GALLERY, PROGRAMS, check

STORE_BUFFERING = PROGRAMS / "asymmetric" / "store_buffering.c"
ADDITION = PROGRAMS / "asymmetric" / "nonatomic_addition.cpp"
KEYS = PROGRAMS / "pthread" / "keys_again.c"
PUBLICATION = PROGRAMS / "lockfree" / "pointer_publication.cpp"
SIGNALS = PROGRAMS / "everyday" / "signals_said.c"
MEMBARRIER = PROGRAMS / "asymmetric" / "membarrier.c"


def _found(case: Case) -> dict[str, Any]:
    return check(case).by_model["c++20"]


def _case(path: Any, name: str) -> Case:
    return next(case for case in cases_of(path) if case.name == name)


def _actions(case: Case) -> list[str]:
    return [step["action"] for step in _found(case)["violation"]["trace"]]


@pytest.mark.parametrize(
    ("name", "fences"),
    [
        ("light_and_full", {"light fence", "fence (seq_cst)"}),
        ("heavy_and_nothing", {"heavy fence"}),
    ],
)
def test_fences_are_called_by_their_side(name: str, fences: set[str]) -> None:
    actions = _actions(_case(STORE_BUFFERING, name))
    assert {action for action in actions if "fence" in action} == fences


def test_a_non_atomic_addition_is_told_as_its_two_halves() -> None:
    actions = _actions(_case(ADDITION, "flag_may_be_lost"))
    halves = [action for action in actions if action.startswith("non-atomic")]
    assert halves == [
        "non-atomic fetch-add reads counter = 0 (acquire)",
        "non-atomic fetch-add writes counter = 1 (release)",
    ]
    between = actions[actions.index(halves[0]) : actions.index(halves[1])]
    assert "reads counter = 0x80000000 (relaxed)" in between


def test_a_byte_is_no_negative_number() -> None:
    actions = _actions(_case(GALLERY / "folly_parking_lot.cpp", "broken"))
    assert {"reads ready = 0 (relaxed)", "writes ready = 1 (release)"} <= set(actions)


def test_a_barrier_without_registration_is_told() -> None:
    actions = _actions(_case(MEMBARRIER, "private_without_registration"))
    assert "finds the process not registered for membarrier" in actions


def test_a_certificate_says_what_a_heavy_fence_is_taken_for_if_there_was_one() -> None:
    def heavy(name: str) -> bool:
        assumptions = _found(_case(STORE_BUFFERING, name))["assumptions"]
        return any("membarrier" in text for text in assumptions)

    assert heavy("light_and_heavy")
    assert not heavy("two_light")
    assert heavy("no_membarrier")


@pytest.mark.parametrize(
    ("name", "noted"),
    [("a_new_key_has_no_value", False), ("a_new_key_has_no_value_in_another_thread", True)],
)
def test_a_certificate_says_that_keys_came_and_went_beside_other_threads(
    name: str, noted: bool
) -> None:
    assumptions = _found(_case(KEYS, name))["assumptions"]
    assert any("keys" in text for text in assumptions) == noted


@pytest.mark.parametrize(
    ("name", "noted"),
    [("what_sigaction_installed", False), ("a_handler_that_was_installed", True)],
)
def test_a_certificate_says_that_threads_said_something_of_signals_beside_others(
    name: str, noted: bool
) -> None:
    assumptions = _found(_case(SIGNALS, name))["assumptions"]
    assert any("on a signal" in text for text in assumptions) == noted


@pytest.mark.parametrize(("name", "noted"), [("release_acquire", False), ("release_consume", True)])
def test_a_certificate_says_that_consume_is_acquire(name: str, noted: bool) -> None:
    assumptions = _found(_case(PUBLICATION, name))["assumptions"]
    assert any("memory_order_consume" in text for text in assumptions) == noted
