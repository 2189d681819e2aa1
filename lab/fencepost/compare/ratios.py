# SPDX-License-Identifier: MIT
"""Typical figures and ratios, and how sure they are. Needs nothing that has to be installed.

The figures of a round were measured in turns, so that what is looked at is the ratio of each round.
Of the logarithms a fifth on either side is cut off, for a window now and then takes much longer
than the others; what is left has an interval by Student's t distribution (K. Yuen, "The two-sample
trimmed t for unequal population variances", 1974; of one sample: J. Tukey and D. McLaughlin, 1963).
Of three and four rounds nothing is cut off. Rounds are taken to know nothing of each other.

Where a figure has no logarithm the ratio is that of the means, with Fieller's interval (1954).
`tests/lab/compare/test_ratios.py` simulates how often these intervals hold the truth.
"""

from __future__ import annotations

import functools
import math
import statistics
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

Key = TypeVar("Key", bound=Hashable)
#: Of fewer rounds no interval is told, and no verdict.
FEWEST = 3
CERTAINTY = 0.95
#: What figures are at most by their meaning, of which their noise knows nothing.
MOST = {"fairness": 1.0}
#: What is cut off on either side.
_TRIMMED = 0.2


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

    def words(self, form: str = ".3g", unit: str = "") -> str:
        """The ratio with its interval, numbers in this form; of too few rounds how many they
        are."""
        if self.rounds < FEWEST:
            ends = f"[{self.rounds} round{'s' * (self.rounds > 1)}]"
        elif self.is_open:
            return "no ratio: the peer's may be zero"
        else:
            ends = f"[{_number(self.low, form)}, {_number(self.high, form)}]"
        return f"{_number(self.value, form)}{unit} {ends}"

    def verdict(self, bound: float, at_least: bool) -> str:
        """Met, missed, or not to be told apart from the bound by these windows."""
        if self.rounds < FEWEST:
            return "too few rounds"
        if self.is_open:
            return "not known"
        met = self.value >= bound if at_least else self.value <= bound
        certain = self.low >= bound if at_least else self.high <= bound
        hopeless = self.high < bound if at_least else self.low > bound
        if met:
            return "yes" if certain else "yes, within noise"
        return "no" if hopeless else "no, within noise"


@functools.cache
def student(certainty: float, freedom: int) -> float:
    """Where Student's t distribution ends that holds this share of it, with as much left on either
    side."""
    low, high = 0.0, math.pi / 2
    for _ in range(60):
        middle = (low + high) / 2
        if _held(middle, freedom) < certainty:
            low = middle
        else:
            high = middle
    return math.sqrt(freedom) * math.tan(low)


def _held(angle: float, freedom: int) -> float:
    """What lies between -t and t, t being tan(angle) times the root of the degrees of freedom:
    Abramowitz and Stegun, 26.7.3 and 26.7.4."""
    odd = freedom % 2
    term = math.cos(angle) if odd else 1.0
    total = 0.0
    for n in range(1 + odd, freedom, 2):
        total += term
        term *= n / (n + 1) * math.cos(angle) ** 2
    within = math.sin(angle) * total
    return 2 / math.pi * (angle + within) if odd else within


def typical(
    figures: Sequence[float], certainty: float = CERTAINTY, most: float = math.inf
) -> Ratio | None:
    """Where figures lie that are at most so much; None where there is none."""
    usable = [value for value in figures if math.isfinite(value)]
    if not usable:
        return None
    if len(usable) >= FEWEST and min(usable) == max(usable):
        return Ratio(usable[0], usable[0], usable[0], len(usable))
    if min(usable) > 0:
        middle, half = _trimmed([math.log(value) for value in usable], certainty)
        ends = (math.exp(middle), math.exp(middle - half), _exp(middle + half))
    else:
        middle, half = _trimmed(usable, certainty)
        # What is never below zero is not so on average.
        least = 0.0 if min(usable) == 0 else -math.inf
        ends = (middle, max(least, middle - half), middle + half)
    value, low, high = (min(one, most) for one in ends)
    return Ratio(value, low, high, len(usable))


def typical_ratio(
    ours: Sequence[float], peer: Sequence[float], certainty: float = CERTAINTY
) -> Ratio | None:
    """Typical ratio, ours over the peer's, of figures of the same rounds in the same order."""
    pairs = [
        (a, b) for a, b in zip(ours, peer, strict=False) if math.isfinite(a) and math.isfinite(b)
    ]
    if not pairs:
        return None
    if min(min(pair) for pair in pairs) > 0:
        return typical([a / b for a, b in pairs], certainty)
    ratio = ratio_of_means(pairs, certainty)
    if ratio is None or min(min(pair) for pair in pairs) < 0:
        return ratio
    return replace(ratio, low=max(0.0, ratio.low))


def ratio_by_round(
    ours: Mapping[Key, float], peer: Mapping[Key, float], certainty: float = CERTAINTY
) -> Ratio | None:
    """Typical ratio, ours over the peer's, of the rounds that both have."""
    both = [one for one in ours if one in peer]
    return typical_ratio([ours[one] for one in both], [peer[one] for one in both], certainty)


def ratio_to_best(
    ours: Mapping[Key, float], peers: Mapping[str, Mapping[Key, float]], more_is_better: bool
) -> tuple[str, Ratio] | None:
    """Beside the best of several peers, whichever that is: the one that looks best, and an interval
    that holds the ratio to the one that is. None where no peer has a round of ours."""
    there = [name for name, rounds in peers.items() if ratio_by_round(ours, rounds)]
    if not there:
        return None
    alone, together = (
        {name: ratio for name in there if (ratio := ratio_by_round(ours, peers[name], certainty))}
        for certainty in (CERTAINTY, 1 - (1 - CERTAINTY) / len(there))
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


def ratio_of_means(
    pairs: Sequence[tuple[float, float]], certainty: float = CERTAINTY
) -> Ratio | None:
    """Ratio of the means of figures that may be zero or less, for noise is added to them. Its
    interval holds every ratio q for which a - q b may be zero on average. Where that could be any
    number, so is the interval."""
    if not pairs:
        return None
    rounds = len(pairs)
    above, below = (statistics.fmean(side) for side in zip(*pairs, strict=True))
    value = above / below if below else math.nan
    anything = Ratio(value, -math.inf, math.inf, rounds)
    if rounds < FEWEST:
        return anything
    share = student(certainty, rounds - 1) ** 2 / (rounds * (rounds - 1))
    square = below**2 - share * sum((b - below) ** 2 for _, b in pairs)
    if below <= 0 or square <= 0:
        return anything
    linear = above * below - share * sum((a - above) * (b - below) for a, b in pairs)
    constant = above**2 - share * sum((a - above) ** 2 for a, _ in pairs)
    root = math.sqrt(max(0.0, linear**2 - square * constant))
    return Ratio(value, (linear - root) / square, (linear + root) / square, rounds)


def _trimmed(figures: Sequence[float], certainty: float) -> tuple[float, float]:
    """The mean of those in the middle, and half of its interval's width."""
    count = len(figures)
    cut = int(_TRIMMED * count)
    kept = sorted(figures)[cut : count - cut]
    middle = statistics.fmean(kept)
    if count < FEWEST:
        return middle, math.inf
    # What was cut off counts as the nearest that was not.
    pulled = [kept[0]] * cut + kept + [kept[-1]] * cut
    centre = statistics.fmean(pulled)
    squares = sum((one - centre) ** 2 for one in pulled)
    error = math.sqrt(squares / (len(kept) * (len(kept) - 1)))
    return middle, student(certainty, len(kept) - 1) * error


def _number(value: float, form: str) -> str:
    if math.isfinite(value):
        return f"{value:{form}}"
    return "—" if math.isnan(value) else "∞" if value > 0 else "−∞"


def _exp(exponent: float) -> float:
    return math.exp(exponent) if exponent < 700 else math.inf
