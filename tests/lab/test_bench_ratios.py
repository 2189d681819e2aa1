# SPDX-License-Identifier: MIT
"""How often the intervals of `fencepost bench` hold the truth: simulated, with fixed seeds."""

from __future__ import annotations

import math
import random
from collections.abc import Callable

import pytest
from fencepost.bench_ratios import ratio_of_means, student, typical, typical_ratio

ROUNDS = (3, 4, 5, 7, 9, 20)
Noise = Callable[[random.Random], float]


def heavy(source: random.Random) -> float:
    """Student's t with two degrees of freedom: it has no variance."""
    return source.gauss(0, 1) / math.sqrt(source.expovariate(1))


NOISES: dict[str, Noise] = {
    "normal": lambda source: source.gauss(0, 1),
    "skewed": lambda source: source.expovariate(1),
    "heavy": heavy,
}


@pytest.mark.parametrize("noise", NOISES)
@pytest.mark.parametrize("rounds", ROUNDS)
def test_an_interval_holds_the_ratio_as_often_as_it_says(rounds: int, noise: str) -> None:
    """Of ours and a peer, with noise of each round's own and some that both share."""
    source = random.Random(f"{rounds} {noise}")
    draw = NOISES[noise]
    truth, times, covered = 0.9, 2000, 0
    for _ in range(times):
        ours, peer = [], []
        for _ in range(rounds):
            shared = source.gauss(0, 0.1)
            ours.append(90 * math.exp(shared + 0.03 * draw(source)))
            peer.append(100 * math.exp(shared + 0.03 * draw(source)))
        ratio = typical_ratio(ours, peer)
        assert ratio is not None
        assert ratio.low <= ratio.value <= ratio.high
        covered += ratio.low <= truth <= ratio.high
    # Of 2000 the share is known within a percent, two standard deviations.
    assert 0.925 <= covered / times <= (0.965 if noise == "normal" else 0.99)


@pytest.mark.parametrize("rounds", ROUNDS)
def test_an_interval_of_a_figure_without_a_peer_holds_it(rounds: int) -> None:
    source = random.Random(rounds)
    covered = 0
    for _ in range(2000):
        found = typical([100 * math.exp(0.05 * source.gauss(0, 1)) for _ in range(rounds)])
        assert found is not None
        covered += found.low <= 100 <= found.high
    assert 0.925 <= covered / 2000 <= 0.965


@pytest.mark.parametrize("rounds", ROUNDS)
def test_an_interval_of_differences_holds_their_ratio(rounds: int) -> None:
    """With so much noise that some of them are below zero."""
    source = random.Random(rounds)
    covered = below = 0
    for _ in range(2000):
        pairs = [(0.5 + source.gauss(0, 0.3), 1 + source.gauss(0, 0.3)) for _ in range(rounds)]
        below += any(min(pair) < 0 for pair in pairs)
        ratio = ratio_of_means(pairs)
        assert ratio is not None
        covered += ratio.low <= 0.5 <= ratio.high
    assert below > 100
    assert 0.925 <= covered / 2000 <= 0.97


def test_one_window_that_stood_still_does_not_widen_the_interval_of_many_rounds() -> None:
    rounds = [1.0, 1.01, 0.99, 1.02, 0.98, 1.0, 1.01]
    calm, disturbed = typical([*rounds, 1.0]), typical([*rounds, 30.0])
    assert calm and disturbed
    assert disturbed.high - disturbed.low < 2 * (calm.high - calm.low)


@pytest.mark.parametrize(
    ("certainty", "freedom", "expected"),
    [(0.95, 1, 12.7062), (0.95, 2, 4.30265), (0.95, 3, 3.18245), (0.95, 6, 2.44691),
     (0.95, 29, 2.04523), (0.99, 5, 4.03214), (0.9, 4, 2.13185), (0.5, 2, 0.816497)],
)  # fmt: skip
def test_the_quantiles_are_those_of_the_tables(
    certainty: float, freedom: int, expected: float
) -> None:
    assert student(certainty, freedom) == pytest.approx(expected, rel=1e-5)


def test_too_few_rounds_have_no_interval() -> None:
    ratio = typical_ratio([1.0, 2.0], [2.0, 2.0])
    assert ratio is not None
    assert (ratio.low, ratio.high) == (0.0, math.inf)
    assert ratio.interval == "[2 rounds]"
    assert typical([]) is None and typical_ratio([], [1.0]) is None
