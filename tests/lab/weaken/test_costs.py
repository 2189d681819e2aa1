# SPDX-License-Identifier: MIT
"""Instructions that orders cost, as the compilers that are here make them."""

from __future__ import annotations

import pytest
from fencepost.weaken.costs import PROCESSORS, Costs, Difference, sentence
from fencepost.weaken.lattice import Value

SC, REL, ACQ, RLX = ("seq_cst",), ("release",), ("acquire",), ("relaxed",)
CHANGES: list[tuple[str, int, Value, Value]] = [
    ("store", 4, SC, REL),
    ("load", 4, ACQ, RLX),
    ("fence", 0, SC, ("none",)),
    ("compare_exchange", 8, ("seq_cst", "seq_cst"), ("relaxed", "relaxed")),
    ("fetch_or", 1, SC, RLX),
]


@pytest.fixture(scope="module")
def costs() -> Costs:
    made = Costs()
    made.compile((what, size, value) for what, size, *values in CHANGES for value in values)
    return made


def _difference(costs: Costs, number: int, processor: str) -> Difference:
    found = costs.differences(*CHANGES[number])
    if processor not in found:
        pytest.skip(costs.compilers[processor])
    return found[processor]


def test_a_seq_cst_store_is_an_exchange_on_x86(costs: Costs) -> None:
    assert str(_difference(costs, 0, "x86-64")) == "saves an xchg"
    assert str(_difference(costs, 1, "x86-64")) == "nothing"


def test_a_seq_cst_store_is_a_release_store_on_aarch64(costs: Costs) -> None:
    assert str(_difference(costs, 0, "AArch64")) == "nothing"
    assert str(_difference(costs, 1, "AArch64")) == "saves an ldar"


def test_with_lse_a_compare_exchange_is_one_instruction(costs: Costs) -> None:
    assert str(_difference(costs, 3, "AArch64 with LSE")) == "casal → cas"
    assert "ldaxr" in _difference(costs, 3, "AArch64").saved


def test_what_a_function_makes_of_an_order_is_not_taken_for_nothing(costs: Costs) -> None:
    """riscv64 has no operation on a byte: gcc calls libatomic's."""
    said = str(_difference(costs, 4, "riscv64"))
    name = "call of __atomic_fetch_or_1"
    assert said == f"{name} with seq_cst → {name} with relaxed"


def test_a_fence_is_saved_everywhere(costs: Costs) -> None:
    for processor in costs.differences(*CHANGES[2]):
        assert str(_difference(costs, 2, processor)).startswith("saves a")


def test_every_processor_is_compiled_for_or_named(costs: Costs) -> None:
    assert set(costs.compilers) == set(PROCESSORS)
    missing = set(PROCESSORS) - set(costs.differences(*CHANGES[0]))
    assert all(costs.compilers[one].startswith("no compiler") for one in missing)


def test_a_sentence_names_who_saves_nothing_last() -> None:
    nothing, saved = Difference((), (), 0), Difference(("xchg",), (), 0)
    assert (
        sentence({"arm": nothing, "x86": saved, "riscv": nothing})
        == "saves an xchg on x86; nothing on arm and riscv"
    )
    assert str(Difference((), ("dmb ish",), 0)) == "adds dmb ish"
    assert str(Difference(("hwsync",), ("lwsync",), 0)) == "hwsync → lwsync"
