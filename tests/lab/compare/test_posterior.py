# SPDX-License-Identifier: MIT
"""The statistics against data whose truth is known: intervals cover as often as they say, answers
are wrong no more often than allowed, and differences that are there are found."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from fencepost.compare.posterior import Numbers, difference, half_step, location, widened
from fencepost.compare.select import Pair, Sample
from fencepost.compare.verdict import UNKNOWN, Comparison, Rope, compare, judged
from fencepost.results.schema import Metric
from scipy import stats

Source = np.random.Generator
Noise = Callable[[Source, int], Numbers]


def normal(source: Source, rounds: int) -> Numbers:
    return source.normal(0, 0.02, rounds)


def heavy_tails(source: Source, rounds: int) -> Numbers:
    return 0.02 * source.standard_t(2, rounds)


def outliers(source: Source, rounds: int) -> Numbers:
    """One round in ten was disturbed on one side."""
    disturbed = source.random(rounds) < 0.1
    signs = source.choice([-1.0, 1.0], rounds)
    return source.normal(0, 0.01, rounds) + disturbed * signs * source.exponential(0.2, rounds)


def alike_neighbours(source: Source, rounds: int) -> Numbers:
    """Correlated from round to round, by 0.3."""
    noise = source.normal(0, 0.02, rounds + 20)
    for n in range(1, len(noise)):
        noise[n] += 0.3 * noise[n - 1]
    return noise[20:]


REPEATS = 100


@pytest.mark.matrix(6)
@pytest.mark.parametrize("rounds", [5, 20])
@pytest.mark.parametrize("noise", [normal, heavy_tails, outliers, alike_neighbours])
def test_intervals_cover_the_truth_as_often_as_they_say(noise: Noise, rounds: int) -> None:
    source = np.random.default_rng(20200805)
    covered = wrong = 0
    for _ in range(REPEATS):
        posterior = location(0.01 + noise(source, rounds))
        low, high = posterior.interval(0.95)
        covered += low <= 0.01 <= high
        # On the border of a region, the answer "above" may be given in one case of twenty.
        wrong += posterior.below(0.01) < 0.05
    # Three standard deviations of what 95 % of 100 scatter by.
    assert covered >= 0.95 * REPEATS - 7
    assert wrong <= 0.05 * REPEATS + 7


def test_of_normal_noise_it_says_little_more_than_a_t_test_and_never_less_surely() -> None:
    source = np.random.default_rng(7)
    ratios = []
    for _ in range(40):
        figures = normal(source, 25)
        low, high = location(figures).interval(0.95)
        half = stats.t.ppf(0.975, 24) * stats.sem(figures)
        ratios.append((high - low) / (2 * half))
    assert 1.0 < np.median(ratios) < 1.35


def test_an_outlier_widens_the_interval_little() -> None:
    figures = normal(np.random.default_rng(3), 15)
    before = location(figures)
    after = location(np.concatenate([figures, [2.0]]))
    assert after.spread < 1.6 * before.spread
    assert abs(after.median - before.median) < before.spread


@pytest.mark.parametrize("effect", [0.03, -0.03])
def test_a_difference_of_three_percent_is_found_in_twenty_rounds(effect: float) -> None:
    source = np.random.default_rng(11)
    border = Rope(0.01).half_width
    found = 0
    for _ in range(60):
        posterior = location(effect + normal(source, 20))
        found += (posterior.below(border) if effect > 0 else 1 - posterior.below(-border)) < 0.05
    assert found >= 51


def test_equality_is_found_where_the_noise_is_small_enough() -> None:
    source = np.random.default_rng(12)
    border = Rope(0.01).half_width
    found = 0
    for _ in range(60):
        posterior = location(0.3 * normal(source, 20))
        found += posterior.below(border) - posterior.below(-border) > 0.95
    assert found >= 54


def test_what_drifts_for_both_cancels_out_in_turns_and_not_otherwise() -> None:
    source = np.random.default_rng(13)
    drift = np.linspace(0, 0.5, 20)
    one = drift + 0.02 + 0.002 * source.normal(size=20)
    other = drift + 0.002 * source.normal(size=20)
    in_turns = location(one - other)
    apart = difference(location(one), location(other))
    assert in_turns.below(0.01) < 0.001
    assert apart.below(0.01) > 0.2


def test_two_samples_of_different_lengths_are_compared_without_pairs() -> None:
    source = np.random.default_rng(14)
    covered = 0
    for _ in range(60):
        one, other = 0.05 + normal(source, 9), heavy_tails(source, 14)
        low, high = difference(location(one), location(other)).interval(0.95)
        covered += low <= 0.05 <= high
    assert covered >= 53


def test_the_difference_of_the_seed_of_this_method_is_as_it_was_then() -> None:
    """9 runs of trunk, as published in 2020, beside 9 runs whose mean and standard deviation were:
    76 % within 1 %, 24 % beyond."""
    trunk = [23554, 23580, 22977, 23676, 23671, 23619, 23621, 23545, 23624]
    scores = stats.norm.ppf((np.array([4, 1, 7, 0, 5, 8, 2, 6, 3]) + 0.5) / 9)
    exchange = 23787.33 + 77.67 * scores / scores.std(ddof=1)
    posterior = difference(location(np.log(trunk)), location(np.log(exchange)))
    border = math.log(1.01)
    assert 1 - posterior.below(border) < 0.01
    assert 0.1 < posterior.below(-border) < 0.4
    assert posterior.below(border) - posterior.below(-border) > 0.6


@pytest.mark.parametrize(
    "figures",
    [
        [0.5, 0.5, 0.5],
        [0.5, 0.5, 0.5, 0.5, 0.9],
        [0.0, 1e-12, 2e-12],
        [-700.0, 0.0, 700.0],
        [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8],
        [1e-3] * 400 + [2e-3] * 400,
    ],
)
def test_whatever_the_figures_are_the_answer_is_a_distribution_around_them(
    figures: list[float],
) -> None:
    posterior = location(figures)
    assert np.all(np.isfinite(posterior.places))
    assert np.all(np.diff(posterior.cumulative) >= 0)
    assert posterior.cumulative[-1] == pytest.approx(1.0)
    assert min(figures) - 1e-3 <= posterior.median <= max(figures) + 1e-3


def test_equal_figures_that_were_rounded_are_not_taken_for_certainty() -> None:
    coarse = location(np.log([10.0, 11.0, 10.0, 11.0, 10.0]))
    assert coarse.spread > 0.01


#: What os.times() makes of a tick.
TICKS = [0.010000000000000009, 0.009999999999999787, 0.010000000000000002, 0.01, 0.02]


def test_what_floating_point_adds_to_equal_figures_is_no_noise() -> None:
    exact = location(np.log([0.01] * 30 + [0.02] * 2))
    computed = location(np.log([TICKS[n % 4] for n in range(30)] + [0.02] * 2))
    assert computed.spread == pytest.approx(exact.spread, rel=0.01)


@pytest.mark.parametrize(
    ("figures", "share"),
    [
        (TICKS, 1.0),
        ([0.01] * 3, 1.0),
        ([0.010000000000000009, 0.009999999999999787, 0.01], 1.0),
        ([100.0, 102.0, 101.0, 101.0], 1 / 101),
        ([1200.0] * 5, 1 / 1200),
        ([0.25, 0.25, 0.25], 0.01 / 0.25),
        ([1 / 3] * 5, 3e-9),
        ([100.0, 102.0, 103.5], 0.0),
        ([5.0], 0.0),
        ([], 0.0),
    ],
)
def test_steps_of_figures_are_found(figures: list[float], share: float) -> None:
    assert half_step(figures) == pytest.approx(-math.log(1 - share / 2), rel=1e-3)


@pytest.mark.parametrize("half", [1e-5, 0.01, 0.3, 5.0])
def test_a_posterior_is_widened_by_what_steps_hide(half: float) -> None:
    posterior = location(0.1 + normal(np.random.default_rng(2), 12))
    wide = widened(posterior, half)
    source = np.random.default_rng(3)
    drawn = np.interp(source.random(200_000), posterior.cumulative, posterior.places)
    drawn += source.uniform(-half, half, len(drawn))
    for share in (0.025, 0.25, 0.5, 0.75, 0.975):
        assert wide.below(float(np.quantile(drawn, share))) == pytest.approx(share, abs=0.006)


@pytest.mark.parametrize("truth", [0.905, 0.97, 1.1])
def test_figures_in_ticks_do_not_pass_for_equal(truth: float) -> None:
    """A clock that goes in steps of 10 ms, beside times of 12 ms."""
    source = np.random.default_rng(15)
    for _ in range(20):
        ones, others = (
            np.floor(time / 10 + source.random(240)) / 100 for time in (12.0 * truth, 12.0)
        )
        read = (ones > 0) & (others > 0)
        answer = comparison(list(ones[read]), list(others[read]))
        assert answer.verdict == UNKNOWN
        assert answer.rounds_needed is None


def comparison(ones: list[float], others: list[float]) -> Comparison:
    metric = Metric("cpu_time", "s", "lower")
    sides = [Sample(name, "s", "", metric, {}, ()) for name in "ab"]
    pair = Pair(sides[0], sides[1], tuple(ones), tuple(others), True)
    return judged([compare(pair, Rope(0.01), 0.95)])[0]


def test_two_figures_say_nothing() -> None:
    with pytest.raises(ValueError, match="fewer than 3"):
        location([1.0, 2.0])
