# SPDX-License-Identifier: MIT
"""Bounds that hold at any time, against data whose truth is known: whoever looks again and again
and stops when they like is wrong no more often than was said."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from fencepost.compare.sequence import ConfidenceSequence
from fencepost.compare.verdict import Rope
from scipy import stats

Source = np.random.Generator
Ratios = Callable[[Source, int], "np.ndarray[tuple[int, ...], np.dtype[np.float64]]"]


def heavy_tails(source: Source, rounds: int) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """Without a variance."""
    return 0.02 * source.standard_t(1.5, rounds)


def a_machine_that_drifts(
    source: Source, rounds: int
) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """Two windows a round, in an order drawn by lot, on a machine that gets slower, whose noise
    hangs together from window to window, grows, and has a period of two windows."""
    slots = np.cumsum(source.normal(0, 0.01, 2 * rounds)) + 0.01 * np.arange(2 * rounds)
    slots += 0.1 * (np.arange(2 * rounds) % 2)
    slots += source.exponential(0.02, 2 * rounds) * np.linspace(0.5, 2, 2 * rounds)
    first, second = slots[0::2], slots[1::2]
    swapped = source.random(rounds) < 0.5
    return np.where(swapped, second - first, first - second)


REPEATS = 80
LOOKS = range(8, 48, 4)


@pytest.mark.matrix(4)
@pytest.mark.parametrize("ratios", [heavy_tails, a_machine_that_drifts])
def test_looking_again_and_again_is_wrong_no_more_often_than_was_said(ratios: Ratios) -> None:
    source = np.random.default_rng(20200826)
    missed = 0
    for _ in range(REPEATS):
        sequence = ConfidenceSequence(0.1)
        excluded = False
        for number, figure in enumerate(0.03 + ratios(source, LOOKS.stop), 1):
            sequence.add(float(figure))
            if number in LOOKS:
                low, high = sequence.interval()
                excluded |= not low <= 0.03 <= high
        missed += excluded
    # Three standard deviations of what 10 % of 80 scatter by.
    assert missed <= 0.1 * REPEATS + 8


def test_a_t_test_that_is_looked_at_again_and_again_is_wrong_far_more_often() -> None:
    """So that the test above could fail."""
    source = np.random.default_rng(20200826)
    missed = 0
    for _ in range(REPEATS):
        figures = source.normal(0, 0.02, LOOKS.stop)
        missed += any(stats.ttest_1samp(figures[:look], 0).pvalue < 0.1 for look in LOOKS)
    assert missed > 0.1 * REPEATS + 8


def test_a_difference_of_five_percent_is_found_within_thirty_rounds() -> None:
    source = np.random.default_rng(3)
    border = Rope(0.01).half_width
    found = 0
    for _ in range(25):
        sequence = ConfidenceSequence(0.05)
        for figure in source.normal(0.05, 0.02, 30):
            sequence.add(float(figure))
        found += sequence.interval()[0] > border
    assert found >= 23


def test_equality_is_found_where_the_noise_is_small() -> None:
    source = np.random.default_rng(4)
    border = Rope(0.01).half_width
    found = 0
    for _ in range(25):
        sequence = ConfidenceSequence(0.05)
        for figure in source.normal(0, 0.005, 30):
            sequence.add(float(figure))
        low, high = sequence.interval()
        found += -border < low and high < border
    assert found >= 23


def test_few_rounds_say_nothing_however_far_apart_the_two_are() -> None:
    sequence = ConfidenceSequence(0.05)
    for _ in range(6):
        sequence.add(5.0)
    assert sequence.interval() == (-np.inf, np.inf)
    for _ in range(10):
        sequence.add(5.0)
    low, high = sequence.interval()
    assert 4.9 < low <= 5.0 <= high < 5.1


def test_an_effect_that_changes_leaves_nothing_that_would_fit() -> None:
    sequence = ConfidenceSequence(0.05)
    source = np.random.default_rng(5)
    for effect in (0.0, 1.0):
        for figure in source.normal(effect, 0.01, 40):
            sequence.add(float(figure))
        low, high = sequence.interval()
    assert low > high or high - low > 0.5
