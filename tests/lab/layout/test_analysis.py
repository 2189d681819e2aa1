# SPDX-License-Identifier: MIT
"""The statistics of layouts against simulated figures whose truth is known. Seeded: the same
figures each time."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from fencepost.layout.analysis import (
    EQUAL,
    HIDDEN,
    LAYOUT,
    REAL,
    SIGNIFICANCE,
    UNKNOWN,
    Numbers,
    adjusted,
    difference,
    effects,
    period,
    spread,
)

PADDINGS = list(range(0, 128, 4))
N = np.array(PADDINGS)
ROUNDS = 11
RUNS = 40


def noise(lot: np.random.Generator, layouts: int, tails: str, scale: float = 0.01) -> Numbers:
    """By round and layout; what a round does to all besides. Heavy: with windows ten times as slow
    as they should be."""
    size = (ROUNDS, layouts)
    each = lot.normal(size=size) if tails == "normal" else lot.standard_t(2.5, size=size)
    return np.asarray(scale * each + 0.03 * lot.normal(size=(ROUNDS, 1)))


@pytest.mark.parametrize("tails", ["normal", "heavy"])
@pytest.mark.parametrize("true", [0, 16, 32, 64])
def test_the_period_is_found_and_none_that_is_longer(true: int, tails: str) -> None:
    lot = np.random.default_rng(true + 1)
    found: Counter[int | None] = Counter()
    for run in range(RUNS):
        each = 0.02 * lot.normal(size=max(true, 1)) if true else np.zeros(1)
        figures = each[N % max(true, 1)] + noise(lot, len(N), tails)
        found[period(figures, PADDINGS, 64, seed=run).length] += 1
    longer = sum(count for length, count in found.items() if length is None or length > true)
    assert longer <= 3, f"of {RUNS}, where {SIGNIFICANCE:g} of them are to be expected"
    assert found[true] >= 0.85 * RUNS


def test_layouts_that_differ_without_a_period_have_none() -> None:
    lot = np.random.default_rng(5)
    for run in range(20):
        figures = 0.02 * lot.normal(size=len(N)) + noise(lot, len(N), "normal")
        assert period(figures, PADDINGS, 64, seed=run).length is None


def test_where_padding_does_nothing_one_run_in_a_hundred_says_otherwise() -> None:
    """The probabilities are exact: they are even where nothing is true."""
    lot = np.random.default_rng(6)
    said = [period(noise(lot, 16, "heavy"), PADDINGS[:16], 32, seed=run).p[0] for run in range(300)]
    assert sum(p <= 0.05 for p in said) <= 27  # 15 expected, deviation 3.8
    assert sum(p <= SIGNIFICANCE for p in said) <= 9
    assert 0.4 < float(np.mean(said)) < 0.6


@pytest.mark.parametrize("tails", ["normal", "heavy"])
@pytest.mark.parametrize("true", [0.005, 0.02])
def test_what_layout_does_lies_in_its_interval(true: float, tails: str) -> None:
    lot = np.random.default_rng(7)
    runs, inside, shares, values = 150, 0, 0, []
    for _ in range(runs):
        figures = true * lot.normal(size=20) + noise(lot, 20, tails)
        found = spread(figures)
        inside += found.deviation.contains(true)
        values.append(found.deviation.value)
        if tails == "normal":
            shares += found.share.contains(true**2 / (true**2 + 0.01**2))
    assert inside >= 0.9 * runs
    assert tails == "heavy" or shares >= 0.9 * runs
    assert float(np.mean(values)) == pytest.approx(true, rel=0.15)


def test_where_layout_does_nothing_its_interval_reaches_zero() -> None:
    lot = np.random.default_rng(8)
    low = [spread(noise(lot, 20, "normal")).deviation.low for _ in range(100)]
    assert sum(value > 0 for value in low) <= 8


def test_time_of_n_has_an_interval_each_that_holds_the_truth() -> None:
    lot = np.random.default_rng(9)
    inside, total = 0, 0
    for _ in range(12):
        each = 0.02 * lot.normal(size=8)
        for estimate, place in zip(
            effects(each + noise(lot, 8, "normal")), each - each.mean(), strict=True
        ):
            inside += estimate.contains(math.exp(place))
            total += 1
    assert inside >= 0.88 * total


def test_one_wild_window_changes_nothing() -> None:
    lot = np.random.default_rng(10)
    figures = 0.02 * lot.normal(size=20) + noise(lot, 20, "normal")
    wild = figures.copy()
    wild[3, 4] += 5.0
    assert spread(wild).deviation.value == pytest.approx(spread(figures).deviation.value, rel=0.1)
    assert float(np.abs(adjusted(wild)).max()) < 0.2


def sides(
    lot: np.random.Generator, effect: float, compiled: float, layout: float = 0.02
) -> tuple[Numbers, Numbers, tuple[Numbers, Numbers]]:
    """Two variants at 24 layouts each and as compiled, where they differ by `compiled`."""
    rounds = 0.01 * lot.normal(size=(ROUNDS, 1))

    def measured(places: Numbers) -> Numbers:
        return np.asarray(places + 0.003 * lot.normal(size=(ROUNDS, len(places))) + rounds)

    one, other = (layout * lot.normal(size=24) for _ in range(2))
    at = measured(np.array([compiled, 0.0]))
    return measured(one + effect), measured(other), (at[:, 0], at[:, 1])


def test_a_difference_that_is_layout_is_told_from_one_that_is_not() -> None:
    lot = np.random.default_rng(11)
    same = [difference(*sides(lot, 0.0, 0.04), rope=0.02).verdict for _ in range(40)]
    assert same.count(LAYOUT) >= 30
    assert REAL not in same
    real = [difference(*sides(lot, 0.1, 0.08), rope=0.02).verdict for _ in range(20)]
    assert real.count(REAL) == 20
    hidden = [difference(*sides(lot, 0.1, 0.0), rope=0.02).verdict for _ in range(20)]
    assert hidden.count(HIDDEN) == 20
    equal = [difference(*sides(lot, 0.0, 0.0), rope=0.03).verdict for _ in range(20)]
    assert equal.count(EQUAL) >= 18
    # The effect lies on the border: neither is known.
    border = [difference(*sides(lot, 0.02, 0.08), rope=0.02).verdict for _ in range(20)]
    assert border.count(UNKNOWN) >= 15


def test_the_interval_of_a_difference_over_layouts_holds_the_truth() -> None:
    lot = np.random.default_rng(12)
    runs = 200
    found = [difference(*sides(lot, 0.01, 0.0), rope=0.01) for _ in range(runs)]
    inside = sum(one.over_layouts.contains(math.exp(0.01)) for one in found)
    assert inside >= 0.91 * runs
    assert inside <= 0.99 * runs
    alone = float(np.mean([one.layout_alone for one in found]))
    assert alone == pytest.approx(math.hypot(0.02, 0.02), rel=0.1)


def test_a_cycle_that_is_seen_twice_counts_once() -> None:
    """Layouts a cycle apart are the same one: they make no interval narrower."""
    lot = np.random.default_rng(13)
    one, other, _ = sides(lot, 0.0, 0.0)
    twice = np.hstack([one, one]), np.hstack([other, other])
    phases = [*range(24), *range(24)]
    once = difference(one, other, None, 0.01).over_layouts
    again = difference(*twice, None, 0.01, phases).over_layouts
    assert (once.low, once.high) == pytest.approx((again.low, again.high))
