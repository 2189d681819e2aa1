# SPDX-License-Identifier: MIT
"""What layouts do to figures that were measured in turns: time(N), the period that it has, how much
of the spread between builds is layout, and how much of a difference between two variants.

Figures are logarithms, so effects are ratios. Orders within a round are drawn by lot, so that a
round's figures are exchangeable among layouts that make no difference, whatever the noise: the
tests are permutation tests, exact for any noise.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from fencepost.compare.posterior import FEWEST_ROUNDS, SHARE, location

Numbers = NDArray[np.float64]

PERMUTATIONS = 999
#: A period is taken to be longer where a shorter one is refuted this surely.
SIGNIFICANCE = 0.01
#: Residuals are cut off so many standard deviations from a layout's median.
_CUT = 3.0


@dataclass(frozen=True)
class Estimate:
    value: float
    low: float
    high: float

    def contains(self, value: float) -> bool:
        return self.low <= value <= self.high


@dataclass(frozen=True)
class Spread:
    """How far layouts lie apart, without the noise."""

    #: Standard deviation of the logarithm: about the share by which a layout moves a figure.
    deviation: Estimate
    #: Of the variance between single measurements of different builds, what is layout.
    share: Estimate
    #: The slowest over the fastest, less what noise makes of the largest of many.
    extremes: float
    layouts: int
    rounds: int


@dataclass(frozen=True)
class Period:
    """Period of time(N), where N is the padding. `length` is the shortest period in bytes that is
    not refuted: 0 where no effect of the padding was seen, None where not even the longest fits."""

    length: int | None
    #: By length: that time(N) depends on N modulo that length alone; 0: on nothing. The first that
    #: is not refuted ends the search.
    p: dict[int, float]


def adjusted(figures: Numbers) -> Numbers:
    """`figures` by round and layout, less what a round did to all, outliers drawn in."""
    centred = figures - np.median(figures, axis=1, keepdims=True)
    places = np.median(centred, axis=0)
    rest = centred - places
    rest -= np.median(rest, axis=1, keepdims=True)
    width = _CUT * 1.4826 * float(np.median(np.abs(rest)))
    if width > 0:
        rest = np.clip(rest, -width, width)
    return np.asarray(places + rest)


def effects(figures: Numbers) -> list[Estimate]:
    """Effect of each layout, as a ratio to the mean of all, with an interval each."""
    centred = figures - np.mean(figures, axis=1, keepdims=True)
    return [ratio(column) for column in centred.T]


def ratio(logarithms: Sequence[float] | Numbers) -> Estimate:
    """Estimate a ratio from its logarithms in all rounds together, as `fencepost compare` does."""
    posterior = location([float(x) for x in logarithms])
    low, high = posterior.interval(SHARE)
    return Estimate(*(math.exp(x) for x in (posterior.median, low, high)))


def spread(figures: Numbers) -> Spread:
    """Variance components of a balanced design, with the intervals of the F distribution. Expects
    FEWEST_ROUNDS rounds and two layouts or more."""
    calm = adjusted(figures)
    rounds, layouts = calm.shape
    places = calm.mean(axis=0)
    rest = calm - places - (calm.mean(axis=1, keepdims=True) - calm.mean())
    freedom = (layouts - 1, (layouts - 1) * (rounds - 1))
    noise = max(float((rest**2).sum()) / freedom[1], 1e-18)
    quotient = rounds * float(places.var(ddof=1)) / noise

    def component(f: float) -> float:
        """Variance component of the layout, in units of the noise's variance."""
        return float(max(0.0, (f - 1) / rounds))

    tail = (1 - SHARE) / 2
    components = [
        component(quotient),
        component(quotient / float(stats.f.isf(tail, *freedom))),
        component(quotient / float(stats.f.ppf(tail, *freedom))),
    ]
    deviation = Estimate(*(math.sqrt(c * noise) for c in components))
    share = Estimate(*(c / (1 + c) for c in components))
    # Shrunk towards the mean by the share of their spread that is noise.
    kept = 1 - 1 / quotient if quotient > 1 else 0.0
    extremes = math.exp(math.sqrt(kept) * float(np.ptp(places)))
    return Spread(deviation, share, extremes, layouts, rounds)


def alike(figures: Numbers, seed: int = 1) -> float:
    """The probability of such differences where no layout differs from another."""
    return _p_of_groups(figures, [np.arange(figures.shape[1])], seed)


def period(figures: Numbers, paddings: Sequence[int], cycle: int, seed: int = 1) -> Period:
    """Climbs from "no effect" through 2, 4, 8 … bytes to `cycle`, and ends where the data do not
    refute that layouts of one residue are alike. To name a longer period than the true one, the
    true one must be refuted: that happens with probability SIGNIFICANCE at most."""
    n = np.asarray(paddings)
    step = int(np.gcd.reduce(np.diff(np.sort(n))))
    found: dict[int, float] = {}
    length = 1
    while length <= cycle:
        residues = n % length
        groups = [np.flatnonzero(residues == r) for r in np.unique(residues)]
        groups = [group for group in groups if len(group) > 1]
        if length == 1 or (length > step and groups):
            called = 0 if length == 1 else length
            found[called] = _p_of_groups(figures, groups, seed + length)
            if found[called] > SIGNIFICANCE:
                return Period(called, found)
        length *= 2
    return Period(None, found)


def _p_of_groups(figures: Numbers, groups: Sequence[NDArray[np.int64]], seed: int) -> float:
    """That the layouts of each group are alike: Friedman's test in each, all together. Ranks, so
    that a few wild windows weigh no more than others; what they may be by chance is found out by
    exchanging them within rounds."""
    lot = np.random.default_rng(seed)
    observed = 0.0
    drawn = np.zeros(PERMUTATIONS)
    for group in groups:
        ranks = stats.rankdata(figures[:, group], axis=1)
        observed += float(_between(ranks[None])[0])
        drawn += _between(
            lot.permuted(np.broadcast_to(ranks, (PERMUTATIONS, *ranks.shape)), axis=2)
        )
    as_far = int(np.sum(drawn >= observed * (1 - 1e-9)))
    return (as_far + 1) / (PERMUTATIONS + 1)


def _between(ranks: Numbers) -> Numbers:
    """Sum of squares between the layouts' means, of ranks by case, round and layout."""
    places = ranks.mean(axis=1)
    away = places - places.mean(axis=1, keepdims=True)
    return np.asarray((away**2).sum(axis=1))


#: What a difference between two variants is.
LAYOUT, REAL, HIDDEN, EQUAL, UNKNOWN = (
    "layout",
    "not layout",
    "hidden by layout",
    "practically equal",
    "not distinguishable",
)


@dataclass(frozen=True)
class Difference:
    """One variant over another, as ratios."""

    #: Where the compiler placed both; None where that was not measured.
    as_compiled: Estimate | None
    #: The mean over layouts.
    over_layouts: Estimate
    #: Standard deviation of what two builds differ by through layout alone.
    layout_alone: float
    #: Of pairs of layouts, one of each, how many have the first one above the other.
    above: float
    verdict: str


def difference(
    one: Numbers,
    other: Numbers,
    as_compiled: tuple[Numbers, Numbers] | None,
    rope: float,
    phases: Sequence[int] | None = None,
) -> Difference:
    """`one` and `other` by round and layout, in the same rounds and layouts; `phases` are numbers
    that layouts share which are the same one, a cycle apart; `rope` is the share up to which a
    difference is none in practice."""
    places = np.median(one - other, axis=0)
    marks = np.arange(len(places)) if phases is None else np.asarray(phases)
    means = np.array([places[marks == mark].mean() for mark in np.unique(marks)])
    centre = float(means.mean())
    reach = float(stats.t.isf((1 - SHARE) / 2, len(means) - 1)) * float(
        means.std(ddof=1) / math.sqrt(len(means))
    )
    over = Estimate(*(math.exp(x) for x in (centre, centre - reach, centre + reach)))
    compiled = None
    if as_compiled is not None:
        compiled = ratio(as_compiled[0] - as_compiled[1])
    alone = math.hypot(*(spread(side).deviation.value for side in (one, other)))
    ones, others = np.median(one, axis=0), np.median(other, axis=0)
    above = float(np.mean(ones[:, None] > others[None, :]))
    return Difference(compiled, over, alone, above, _verdict(compiled, over, 1 + rope))


def _side(estimate: Estimate, border: float) -> int | None:
    """1 above the border, -1 below its inverse, 0 within; None where the interval crosses one."""
    if estimate.low > border:
        return 1
    if estimate.high < 1 / border:
        return -1
    return 0 if 1 / border < estimate.low and estimate.high < border else None


def _verdict(compiled: Estimate | None, over: Estimate, border: float) -> str:
    truth = _side(over, border)
    seen = truth if compiled is None else _side(compiled, border)
    if truth is None or seen is None:
        return UNKNOWN
    if truth == 0:
        return EQUAL if seen == 0 else LAYOUT
    return REAL if seen == truth else HIDDEN


def enough(figures: Numbers) -> bool:
    """Whether anything can be said."""
    return bool(figures.shape[0] >= FEWEST_ROUNDS and figures.shape[1] >= 2)
