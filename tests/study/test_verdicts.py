# SPDX-License-Identifier: MIT
"""What the checker says of every ordering, against what the axioms say by hand.

By hand: announcement and last try on one side, release and look on the other are the shape of
store buffering. C++20 forbids its weak outcome where all four are seq_cst, or where both sides have
a read-modify-write of one word that is one even when it fails; x86 wherever neither side has a
plain store with a plain load behind it, and a compare-exchange is locked also when it fails.
"""

from collections.abc import Iterator

import pytest
from fencepost.asm.protocols import SUBJECTS, Subject
from fencepost.console.input_error import UnusableInput
from fencepost.study.findings import Experiment
from fencepost.toolchain.toolchain import runtime_library

pytestmark = pytest.mark.matrix(5)

MODELS = ("sc", "c++20", "c++14", "x86")
HOLDS = ("", "", "", "")
WEAK = ("", "lost-wakeup", "lost-wakeup", "")
WEAK_ON_X86 = ("", "lost-wakeup", "lost-wakeup", "lost-wakeup")
WRONG = ("lost-wakeup",) * 4
FORBIDDEN = ("invalid-order",) * 4

EXPECTED = {
    "trunk": WEAK,
    "first_patch": FORBIDDEN,
    "first_patch_valid": WEAK_ON_X86,
    "fence_removed": WEAK,
    "lock_word_exchange": WEAK,
    "solution_1": HOLDS,
    "solution_1_acquire_try": WEAK,
    "seq_cst_release_clear": HOLDS,
    "proposal_1": WEAK,
    "proposal_1_late_announce": WRONG,
    "proposal_2": WEAK,
    "proposal_2_late_announce": WRONG,
    "buggy_proposal_3": WEAK,
    "proposal_3_as_written": FORBIDDEN,
    "proposal_3": WEAK,
    "proposal_3_exchange": HOLDS,
    "proposal_3b": WEAK,
    "patch_22_july": WEAK,
    "solution_2": HOLDS,
    "solution_2_acq_rel": HOLDS,
    "proposal_3b_exchange": HOLDS,
    "buggy_proposal_3_exchange": HOLDS,
    "seq_cst": HOLDS,
    "exchange": HOLDS,
    "lock_exchange": HOLDS,
    "asymmetric": HOLDS,
    "asymmetric_without_heavy": WEAK_ON_X86,
    "full_fences": HOLDS,
}

EVENT_MUTEX = SUBJECTS["event-mutex"]
STORE_BUFFERING = SUBJECTS["store-buffering"]
#: Clients of two threads, which is enough to lose every wake-up that can be lost.
SMALL = ("holder", "pair", "again")


@pytest.fixture(scope="module")
def laboratories() -> Iterator[dict[str, Experiment]]:
    try:
        runtime_library()
    except UnusableInput as error:
        pytest.skip(str(error))
    yield {
        subject.name: Experiment(subject, "gcc", timeout=300)
        for subject in (EVENT_MUTEX, STORE_BUFFERING)
    }


def _kinds(
    laboratory: Experiment, subject: Subject, protocol_id: str, clients: tuple[str, ...]
) -> tuple[str, ...]:
    """The kind of violation under each model, empty where every client holds."""
    (protocol,) = [p for p in subject.protocols() if p.id == protocol_id]
    kinds: dict[str, set[str]] = {model: set() for model in MODELS}
    for number, client in enumerate(subject.clients):
        if client.name not in clients:
            continue
        for checked in laboratory.check(protocol, number, MODELS):
            assert checked.verdict != "inconclusive", checked.message
            if checked.verdict == "violated":
                assert checked.text and "<svg" in checked.svg
                kinds[checked.model].add(checked.kind)
    assert all(len(found) <= 1 for found in kinds.values())
    return tuple("".join(kinds[model]) for model in MODELS)


def test_a_verdict_is_expected_of_every_protocol() -> None:
    assert set(EXPECTED) == {protocol.id for protocol in EVENT_MUTEX.protocols()}


@pytest.mark.parametrize("protocol", EXPECTED)
def test_a_protocol_has_the_verdicts_that_the_axioms_give_it(
    protocol: str, laboratories: dict[str, Experiment]
) -> None:
    found = _kinds(laboratories["event-mutex"], EVENT_MUTEX, protocol, SMALL)
    assert found == EXPECTED[protocol]


@pytest.mark.parametrize(
    "protocol",
    [p.id for p in EVENT_MUTEX.protocols() if p.header.startswith("fencepost/protocol/")],
)
def test_a_protocol_of_the_library_holds_with_three_threads(
    protocol: str, laboratories: dict[str, Experiment]
) -> None:
    found = _kinds(laboratories["event-mutex"], EVENT_MUTEX, protocol, ("crowd",))
    assert found == HOLDS


@pytest.mark.parametrize(
    ("shape", "expected"),
    [
        ("demonstration", ("", "assertion", "assertion", "assertion")),
        ("release_acquire", ("", "assertion", "assertion", "assertion")),
        ("seq_cst", HOLDS),
        ("exchange", ("", "assertion", "assertion", "")),
    ],
)
def test_the_demonstration_and_its_repairs(
    shape: str, expected: tuple[str, ...], laboratories: dict[str, Experiment]
) -> None:
    found = _kinds(laboratories["store-buffering"], STORE_BUFFERING, shape, ("main",))
    assert found == expected


def test_the_four_threads_of_13_july_lose_a_wake_up_under_cpp14(
    laboratories: dict[str, Experiment],
) -> None:
    (protocol,) = [p for p in EVENT_MUTEX.protocols() if p.id == "seq_cst_release_clear"]
    (number,) = [n for n, c in enumerate(EVENT_MUTEX.clients) if c.name == "as_drawn"]
    (found,) = laboratories["event-mutex"].check(protocol, number, ["c++14"])
    assert (found.verdict, found.kind) == ("violated", "lost-wakeup")
    assert "T3 sleeps" in found.message, "X, who was to be woken by Y"
