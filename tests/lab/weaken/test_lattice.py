# SPDX-License-Identifier: MIT
"""Which orders are weaker than which, and what a violation rules out."""

from __future__ import annotations

import pytest
from fencepost.weaken.lattice import Domain, Knowledge, below

OPERATIONS = ["load", "store", "exchange", "fetch_add", "compare_exchange", "fence", "light fence"]


@pytest.mark.parametrize("operation", OPERATIONS)
def test_values_come_from_the_weakest_on(operation: str) -> None:
    values = Domain(operation).values
    for place, value in enumerate(values):
        assert not any(below(later, value) for later in values[place + 1 :])
    assert values[-1] == Domain(operation).strongest


@pytest.mark.parametrize("operation", OPERATIONS)
def test_nothing_lies_between_a_value_and_one_that_is_a_step_lower(operation: str) -> None:
    domain = Domain(operation)
    for value in domain.values:
        for lower in domain.lower(value):
            assert below(lower, value) and lower != value
            between = [
                one
                for one in domain.values
                if one not in (lower, value) and below(lower, one) and below(one, value)
            ]
            assert not between


def test_a_read_modify_write_that_is_acq_rel_has_two_steps_down() -> None:
    assert set(Domain("fetch_or").lower(("acq_rel",))) == {("acquire",), ("release",)}
    assert Domain("exchange").lower(("relaxed",)) == ()
    assert Domain("fence").lower(("release",)) == (("none",),)


def test_loads_and_stores_have_the_orders_that_the_standard_allows_them() -> None:
    assert not Domain("load").allows(("release",))
    assert not Domain("store").allows(("acq_rel",))
    assert not Domain("compare_exchange").allows(("relaxed", "release"))


def test_only_older_standards_tie_the_order_for_failure_to_that_for_success() -> None:
    assert Domain("compare_exchange").allows(("release", "acquire"))
    assert not Domain("compare_exchange", chained=True).allows(("release", "acquire"))
    assert Domain("compare_exchange", chained=True).allows(("acq_rel", "acquire"))


def test_what_gcc_makes_dearer_is_read_but_not_offered() -> None:
    """It takes seq_cst where the order for failure does more than that for success."""
    domain = Domain("compare_exchange")
    assert domain.allows(("relaxed", "acquire"))
    assert domain.lower(("relaxed", "acquire")) == (("relaxed", "relaxed"),)
    assert domain.lower(("acquire", "acquire")) == (("acquire", "relaxed"),)
    assert ("release", "acquire") in domain.values
    assert not {value for value in domain.values if value[1] == "seq_cst" != value[0]}


def test_a_violation_rules_out_what_is_no_stronger_where_it_happened() -> None:
    written = {0: ("seq_cst",), 1: ("seq_cst",), 2: ("acq_rel",)}
    knowledge = Knowledge(written)
    knowledge.learn_failure({0: ("release",), 2: ("relaxed",)}, {0, 1}, 0, "assertion")
    assert knowledge.ruled_out_by({0: ("relaxed",)})
    assert knowledge.ruled_out_by({0: ("release",), 1: ("acquire",), 2: ("acq_rel",)})
    assert not knowledge.ruled_out_by({2: ("relaxed",)})
    assert not knowledge.ruled_out_by({})
