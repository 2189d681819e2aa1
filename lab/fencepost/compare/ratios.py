# SPDX-License-Identifier: MIT
"""Typical figures and ratios, and how sure they are: where the posterior of their logarithms lies
(`compare.posterior`).

The figures of a round were measured in turns, so that what is looked at is the ratio of each round.
Figures are expected in the order in which they were taken, for neighbours may be alike.
`tests/lab/compare/test_ratios.py` simulates how often the intervals hold the truth.
"""

from __future__ import annotations

import functools
import math
import statistics
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from fencepost.compare.posterior import FEWEST_ROUNDS, SHARE, location

Key = TypeVar("Key", bound=Hashable)
#: What figures are at most by their meaning, of which their noise knows nothing.
MOST = {"fairness": 1.0}
#: Halvings of a right angle, by which a ratio is found to a few millionths.
_HALVINGS = 20


@dataclass(frozen=True)
class Ratio:
    """A typical ratio, or a typical figure, with its interval."""

    value: float
    low: float
    high: float
    rounds: int

    @property
    def is_open(self) -> bool:
        """Whether it may be any number: what it is beside cannot be told from zero."""
        return self.low <= 0 and self.high == math.inf

    @property
    def interval(self) -> tuple[float, float] | None:
        """None where the rounds are too few for one."""
        return None if self.rounds < FEWEST_ROUNDS else (self.low, self.high)

    @property
    def spread(self) -> float:
        """Half the interval's width; zero where there is no interval."""
        half = (self.high - self.low) / 2
        return half if math.isfinite(half) else 0.0

    def words(self, form: str = ".3g", unit: str = "") -> str:
        """The ratio with its interval, numbers in this form; of too few rounds how many they
        are."""
        if self.interval is None:
            ends = f"[{self.rounds} round{'s' * (self.rounds > 1)}]"
        elif self.is_open:
            return "no ratio: the peer's may be zero"
        else:
            ends = f"[{_number(self.low, form)}, {_number(self.high, form)}]"
        return f"{_number(self.value, form)}{unit} {ends}"

    def verdict(self, bound: float, at_least: bool) -> str:
        """Met, missed, or not to be told apart from the bound by these windows."""
        if self.interval is None:
            return "too few rounds"
        if self.is_open:
            return "not known"
        met = self.value >= bound if at_least else self.value <= bound
        certain = self.low >= bound if at_least else self.high <= bound
        hopeless = self.high < bound if at_least else self.low > bound
        if met:
            return "yes" if certain else "yes, within noise"
        return "no" if hopeless else "no, within noise"


def typical(figures: Sequence[float], share: float = SHARE, most: float = math.inf) -> Ratio | None:
    """Where figures lie that are at most so much, with an interval that holds this share of the
    posterior; None where there is none."""
    usable = [value for value in figures if math.isfinite(value)]
    if not usable:
        return None
    if len(usable) >= FEWEST_ROUNDS and min(usable) == max(usable):
        ends: tuple[float, ...] = (usable[0],) * 3
    elif min(usable) > 0:
        ends = tuple(map(_exp, _located([math.log(value) for value in usable], share)))
    else:
        unit = max(map(abs, usable)) or 1.0
        ends = tuple(unit * one for one in _located([value / unit for value in usable], share))
        if min(usable) == 0:  # what is never below zero is not so on average
            ends = tuple(max(0.0, one) for one in ends)
    value, low, high = (min(one, most) for one in ends)
    return Ratio(value, low, high, len(usable))


def _located(figures: Sequence[float], share: float) -> tuple[float, float, float]:
    """Median and interval of the posterior; of too few figures the mean, which may be anything."""
    if len(figures) < FEWEST_ROUNDS:
        return statistics.fmean(figures), -math.inf, math.inf
    posterior = _posterior(tuple(figures))
    return posterior.median, *posterior.interval(share)


#: The same figures are asked for in a table, among the best peers, and at several shares.
_posterior = functools.lru_cache(maxsize=4096)(location)


def typical_ratio(
    ours: Sequence[float], peer: Sequence[float], share: float = SHARE
) -> Ratio | None:
    """Typical ratio, ours over the peer's, of figures of the same rounds in the same order."""
    pairs = [
        (a, b) for a, b in zip(ours, peer, strict=False) if math.isfinite(a) and math.isfinite(b)
    ]
    if not pairs:
        return None
    if min(min(pair) for pair in pairs) > 0:
        return typical([a / b for a, b in pairs], share)
    ratio = ratio_of_locations(pairs, share)
    if ratio is None or min(min(pair) for pair in pairs) < 0:
        return ratio
    return replace(ratio, value=max(0.0, ratio.value), low=max(0.0, ratio.low))


def ratio_by_round(
    ours: Mapping[Key, float], peer: Mapping[Key, float], share: float = SHARE
) -> Ratio | None:
    """Typical ratio, ours over the peer's, of the rounds that both have."""
    both = [one for one in ours if one in peer]
    return typical_ratio([ours[one] for one in both], [peer[one] for one in both], share)


def ratio_to_best(
    ours: Mapping[Key, float], peers: Mapping[str, Mapping[Key, float]], more_is_better: bool
) -> tuple[str, Ratio] | None:
    """Beside the best of several peers, whichever that is: the one that looks best, and an interval
    that holds the ratio to the one that is. None where no peer has a round of ours."""
    there = [name for name, rounds in peers.items() if ratio_by_round(ours, rounds)]
    if not there:
        return None
    alone, together = (
        {name: ratio for name in there if (ratio := ratio_by_round(ours, peers[name], share))}
        for share in (SHARE, 1 - (1 - SHARE) / len(there))
    )
    # The ratio to the best is the least favourable of all, and so is that end of its interval. The
    # other end would be too close: the more peers there are, the better one of them looks by
    # chance. So there the intervals are those that hold for all peers together.
    least = min if more_is_better else max
    lows, highs = (alone, together) if more_is_better else (together, alone)
    known = [name for name in there if math.isfinite(alone[name].value)] or there
    best = least(known, key=lambda name: alone[name].value)
    return best, Ratio(
        alone[best].value,
        least(one.low for one in lows.values()),
        least(one.high for one in highs.values()),
        alone[best].rounds,
    )


def ratio_of_locations(pairs: Sequence[tuple[float, float]], share: float = SHARE) -> Ratio | None:
    """Ratio of two figures to which noise is added, so that some are zero or less: the q by which
    a - q b lies at zero. Its interval holds every q by which it may do so, which E. Fieller (1954)
    asked of means. Where the peer's figure may be zero that is any number."""
    if not pairs:
        return None
    ours, peer = (list(side) for side in zip(*pairs, strict=True))
    mean = statistics.fmean(peer)
    value = statistics.fmean(ours) / mean if mean else math.nan
    anything = Ratio(value, -math.inf, math.inf, len(pairs))
    units = [max(map(abs, side)) for side in (ours, peer)]
    if len(pairs) < FEWEST_ROUNDS or not units[1]:
        return anything
    ours = [one / (units[0] or 1.0) for one in ours]
    peer = [one / units[1] for one in peer]
    tail = (1 - share) / 2
    if _posterior(tuple(peer)).below(0.0) >= tail:
        return anything
    unit = units[0] / units[1]
    value, low, high = (unit * _quotient(ours, peer, below) for below in (0.5, tail, 1 - tail))
    return Ratio(value, low, high, len(pairs))


def _quotient(ours: Sequence[float], peer: Sequence[float], below: float) -> float:
    """The q by which so much of the posterior of a - q b is below zero. As the peer's figures lie
    above zero, that grows with q, which is the tangent of an angle."""
    low, high = -math.pi / 2, math.pi / 2
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        across, along = math.cos(middle), math.sin(middle)
        rest = [across * a - along * b for a, b in zip(ours, peer, strict=True)]
        low, high = (middle, high) if location(rest).below(0.0) < below else (low, middle)
    return math.tan((low + high) / 2)


def _number(value: float, form: str) -> str:
    if math.isfinite(value):
        return f"{value:{form}}"
    return "—" if math.isnan(value) else "∞" if value > 0 else "−∞"


def _exp(exponent: float) -> float:
    return math.inf if exponent == math.inf else math.exp(min(exponent, 700.0))
