# SPDX-License-Identifier: MIT
"""How often the intervals of `fencepost bench` hold the truth: simulated, with fixed seeds."""

from __future__ import annotations

import math
import random
from collections.abc import Callable

import pytest
from fencepost.compare.ratios import (
    ratio_by_round,
    ratio_of_locations,
    ratio_to_best,
    typical,
    typical_ratio,
)

ROUNDS = (3, 4, 5, 9, 20)
#: Draws the noise of so many rounds.
Noise = Callable[[random.Random, int], list[float]]


def normal(source: random.Random, rounds: int) -> list[float]:
    return [source.gauss(0, 1) for _ in range(rounds)]


def skewed(source: random.Random, rounds: int) -> list[float]:
    return [source.expovariate(1) for _ in range(rounds)]


def heavy_tails(source: random.Random, rounds: int) -> list[float]:
    """Student's t with two degrees of freedom: it has no variance."""
    return [source.gauss(0, 1) / math.sqrt(source.expovariate(1)) for _ in range(rounds)]


def outliers(source: random.Random, rounds: int) -> list[float]:
    """One window in ten takes much longer."""
    return [
        source.gauss(0, 1) + (source.random() < 0.1) * source.expovariate(0.05)
        for _ in range(rounds)
    ]


def alike_neighbours(source: random.Random, rounds: int, correlation: float = 0.3) -> list[float]:
    noise = normal(source, rounds + 20)
    for n in range(1, len(noise)):
        noise[n] += correlation * noise[n - 1]
    return noise[20:]


def lasting(source: random.Random, rounds: int) -> list[float]:
    return alike_neighbours(source, rounds, 0.6)


def two_levels(source: random.Random, rounds: int) -> list[float]:
    """The ratio jumps from one to the other and back, as by where the host puts a processor."""
    return [source.choice((-10, 10)) + source.gauss(0, 1) for _ in range(rounds)]


def share_held(noise: Noise, rounds: int, times: int) -> float:
    """How often the interval holds the ratio of ours to a peer, each with noise of its own and
    some that both share."""
    source = random.Random(f"{rounds} {noise.__name__}")
    covered = 0
    for _ in range(times):
        shared = [source.gauss(0, 0.1) for _ in range(rounds)]
        ours, peer = (
            [
                middle * math.exp(both + 0.03 * own)
                for both, own in zip(shared, noise(source, rounds), strict=True)
            ]
            for middle in (90, 100)
        )
        ratio = typical_ratio(ours, peer)
        assert ratio is not None
        assert ratio.low <= ratio.value <= ratio.high
        covered += ratio.low <= 0.9 <= ratio.high
    return covered / times


@pytest.mark.matrix(6)
@pytest.mark.parametrize("noise", [normal, skewed, heavy_tails, outliers, alike_neighbours])
@pytest.mark.parametrize("rounds", ROUNDS)
def test_an_interval_holds_the_ratio_as_often_as_it_says(rounds: int, noise: Noise) -> None:
    # Three standard deviations of what 95 % of 300 scatter by.
    assert share_held(noise, rounds, 300) >= 0.95 - 0.038


@pytest.mark.matrix(6)
@pytest.mark.parametrize(("noise", "least"), [(lasting, 0.8), (two_levels, 0.7)])
@pytest.mark.parametrize("rounds", ROUNDS)
def test_what_lasts_or_jumps_makes_it_too_narrow_as_the_page_says(
    rounds: int, noise: Noise, least: float
) -> None:
    assert share_held(noise, rounds, 100) >= least - 0.12


@pytest.mark.matrix(3)
@pytest.mark.parametrize("rounds", (3, 5, 20))
def test_an_interval_of_a_figure_without_a_peer_holds_it(rounds: int) -> None:
    source = random.Random(rounds)
    covered = 0
    for _ in range(300):
        found = typical([100 * math.exp(0.05 * one) for one in normal(source, rounds)])
        assert found is not None
        covered += found.low <= 100 <= found.high
    assert covered / 300 >= 0.95 - 0.038


@pytest.mark.matrix(6)
@pytest.mark.parametrize("noise", [normal, heavy_tails])
@pytest.mark.parametrize("rounds", (3, 5, 9))
def test_an_interval_of_differences_holds_their_ratio(rounds: int, noise: Noise) -> None:
    """With so much noise that some of them are below zero."""
    source = random.Random(rounds)
    covered = below = 0
    for _ in range(30):
        sides = [[0.5 + 0.3 * one for one in noise(source, rounds)]]
        sides.append([1 + 0.3 * one for one in noise(source, rounds)])
        pairs = list(zip(*sides, strict=True))
        below += any(min(pair) < 0 for pair in pairs)
        ratio = ratio_of_locations([(a, b) for a, b in pairs])
        assert ratio is not None
        assert ratio.is_open or ratio.low <= ratio.value <= ratio.high
        covered += ratio.low <= 0.5 <= ratio.high
    assert below > 2
    assert covered / 30 >= 0.95 - 0.12


def test_a_ratio_of_figures_that_are_far_from_zero_is_the_same_by_differences() -> None:
    source = random.Random(1)
    pairs = [(2e-9 + 1e-11 * source.gauss(0, 1), 5e3 + source.gauss(0, 10)) for _ in range(7)]
    one, other = typical_ratio(*zip(*pairs, strict=True)), ratio_of_locations(pairs)
    assert one and other
    for value, expected in zip(
        (other.value, other.low, other.high), (one.value, one.low, one.high), strict=True
    ):
        assert value == pytest.approx(expected, rel=0.002)


def test_rounds_that_drift_are_worth_less_than_rounds_that_do_not() -> None:
    """The same figures in two orders."""
    drifting = typical([100, 101, 102, 103, 104, 105, 106, 107])
    mixed = typical([103, 107, 100, 105, 102, 106, 101, 104])
    assert drifting and mixed
    assert drifting.spread > 1.2 * mixed.spread


def drawn(source: random.Random, middle: float, rounds: int) -> dict[int, float]:
    return {n: middle * math.exp(0.03 * source.gauss(0, 1)) for n in range(rounds)}


@pytest.mark.matrix(3)
@pytest.mark.parametrize("more_is_better", [True, False])
@pytest.mark.parametrize("rounds", (3, 5, 9))
def test_of_six_equal_peers_none_is_said_to_be_better_or_worse(
    rounds: int, more_is_better: bool
) -> None:
    source = random.Random(rounds)
    wrong, times = 0, 100
    for _ in range(times):
        ours = drawn(source, 100, rounds)
        peers = {f"peer {n}": drawn(source, 100, rounds) for n in range(6)}
        found = ratio_to_best(ours, peers, more_is_better)
        assert found is not None
        assert found[1].low <= found[1].value <= found[1].high
        wrong += not found[1].low <= 1 <= found[1].high
    assert wrong / times <= 0.05


@pytest.mark.parametrize("more_is_better", [True, False])
def test_the_ratio_to_the_best_is_held_also_where_peers_differ(more_is_better: bool) -> None:
    """One peer is the best by less than the noise, another is far away."""
    source = random.Random(5)
    covered, times = 0, 150
    sign = 1 if more_is_better else -1
    speeds = {"best": 1 + 0.02 * sign, "second": 1.0, "third": 1.0, "last": 1 - 0.5 * sign}
    for _ in range(times):
        peers = {name: drawn(source, speed, 5) for name, speed in speeds.items()}
        found = ratio_to_best(drawn(source, 1.0, 5), peers, more_is_better)
        assert found is not None
        covered += found[1].low <= 1 / speeds["best"] <= found[1].high
    assert covered / times >= 0.95 - 0.053


def test_beside_one_peer_the_interval_is_that_of_the_tables() -> None:
    source = random.Random(1)
    ours, peer = drawn(source, 2.0, 5), drawn(source, 1.0, 5)
    found = ratio_to_best(ours, {"only": peer}, more_is_better=True)
    assert found == ("only", ratio_by_round(ours, peer))
    assert found[1].low > 1


def test_ours_is_better_only_where_it_is_better_than_each_peer_of_the_tables() -> None:
    source = random.Random(2)
    for _ in range(50):
        ours = drawn(source, 1.08, 5)
        peers = {name: drawn(source, 1.0, 5) for name in "abc"}
        found = ratio_to_best(ours, peers, more_is_better=True)
        rows = {name: ratio_by_round(ours, rounds) for name, rounds in peers.items()}
        assert found and all(rows.values())
        ratio = found[1]
        assert (ratio.low > 1) == all(row.low > 1 for row in rows.values() if row)
        if ratio.high < 1:
            assert any(row.high < 1 for row in rows.values() if row)


def test_a_peer_of_too_few_rounds_keeps_ours_from_being_better_than_the_best() -> None:
    ours = {n: 2.0 + 0.01 * n for n in range(5)}
    peers = {"known": dict.fromkeys(range(5), 1.0), "failed": {0: 1.5, 1: 1.5}}
    found = ratio_to_best(ours, peers, more_is_better=True)
    assert found is not None
    assert (found[0], found[1].low, found[1].rounds) == ("failed", 0.0, 2)
    peers["failed"] = {0: 0.5, 1: 0.5}
    found = ratio_to_best(ours, peers, more_is_better=True)
    assert found is not None
    assert (found[0], found[1].low) == ("known", 0.0)
    assert ratio_to_best(ours, {"other": {9: 1.0}}, more_is_better=True) is None


def test_one_window_that_stood_still_does_not_widen_the_interval_of_many_rounds() -> None:
    rounds = [1.0, 1.01, 0.99, 1.02, 0.98, 1.0, 1.01]
    calm, disturbed = typical([*rounds, 1.0]), typical([*rounds, 30.0])
    assert calm and disturbed
    assert disturbed.high - disturbed.low < 2 * (calm.high - calm.low)


def test_beside_zero_there_is_no_ratio_and_no_verdict() -> None:
    for ours in ([0.0] * 5, [1.0, 2.0, 3.0, 2.0, 1.0]):
        ratio = typical_ratio(ours, [0.0] * 5)
        assert ratio is not None
        assert ratio.words() == "no ratio: the peer's may be zero"
        assert {ratio.verdict(1.0, at_least) for at_least in (True, False)} == {"not known"}


def test_a_zero_among_the_figures_leaves_an_interval_that_ends_at_zero() -> None:
    ratio = typical_ratio([0.0, 1.0, 2.0, 0.5], [10.0, 11.0, 10.0, 9.0])
    assert ratio is not None
    assert ratio.value == pytest.approx(0.0875, rel=0.2)
    assert ratio.low == 0 < ratio.high < 0.3
    assert ratio.verdict(1.0, at_least=True) == "no"
    found = typical([0.0, 0.0, 8.0, 1.0])
    assert found is not None and found.low == 0 < found.value < found.high
    found = typical([-1.0, 0.5, 8.0, 1.0])
    assert found is not None and found.low < 0


def test_too_few_rounds_have_no_interval() -> None:
    ratio = typical_ratio([1.0, 2.0], [2.0, 2.0])
    assert ratio is not None
    assert (ratio.low, ratio.high) == (0.0, math.inf)
    assert ratio.words() == "0.707 [2 rounds]"
    assert typical([]) is None and typical_ratio([], [1.0]) is None
