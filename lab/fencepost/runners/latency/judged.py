# SPDX-License-Identifier: MIT
"""Which of two is faster, as the study of 2019 asked it, and more strictly.

How often a wait of one is shorter than a wait of the other, each drawn at random (or `times` as
short). The study of 2019 drew pairs one by one and gave the interval of the Confidence Sequence
Method: all p with (n + 1) b(n, p, s) > level, b being the binomial probability of s successes among
n (P. Khuong, "The Confidence Sequence Method", 2018, after A. Gandy and G. Hahn). It takes the
waits for independent, which waits of one window are not. So each round has one figure, and verdicts
go by where these lie (`compare.ratios`).

Stochastic dominance proper asks more: that for every time t the one is at least as likely to be
over by t. `shortfall` says by how much that fails where it fails most.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq
from scipy.stats import binom

from fencepost.compare.ratios import Ratio, typical
from fencepost.runners.latency.samples import BINS, PER_DECADE, Counts, Samples, nanoseconds

#: What was asked of the study's intervals.
LEVEL = 1e-12


@dataclass(frozen=True)
class Dominance:
    """How often, and by how much, the waits of one are shorter than those of another."""

    faster: Ratio  # how often
    pairs: int
    successes: int
    csm: tuple[float, float]
    speedup: Ratio  # geometric mean
    shortfall: float  # share by which the other is ahead at its best
    shortfall_at: float  # nanoseconds


def csm_interval(successes: int, pairs: int, level: float = LEVEL) -> tuple[float, float]:
    """The Confidence Sequence Method's, which holds however long one goes on drawing."""

    def evidence(p: float) -> float:
        return float(math.log(pairs + 1) + binom.logpmf(successes, pairs, p) - math.log(level))

    middle, tiny = successes / pairs, 1e-15
    low, high = 0.0, 1.0
    if successes > 0 and evidence(tiny) < 0:
        low = float(brentq(evidence, tiny, middle))
    if successes < pairs and evidence(1 - tiny) < 0:
        high = float(brentq(evidence, middle, 1 - tiny))
    return low, high


def _shifted(shares: Counts, times: float) -> Counts:
    """As if everything took `times` as long."""
    places = round(math.log10(times) * PER_DECADE)
    found = np.zeros_like(shares)
    found[:, places:] = shares[:, : BINS - places]
    return found


def _often(ours: Counts, theirs: Counts) -> float:
    """How often a draw of ours is less; of the same bin, half the time."""
    beyond = 1 - np.cumsum(theirs)
    return float((ours * (beyond + theirs / 2)).sum())


def _successes(ours: Samples, theirs: Samples, times: float) -> tuple[int, int]:
    """Pairs drawn round by round without returning any; the same bin is decided by a coin."""
    source = np.random.default_rng(2)
    won = pairs = 0
    bins = np.arange(BINS)
    places = round(math.log10(times) * PER_DECADE)
    for a, b in zip(ours.counts, theirs.counts, strict=False):
        left = source.permutation(np.repeat(bins, a.astype(int))) + places
        right = source.permutation(np.repeat(bins, b.astype(int)))
        n = min(len(left), len(right))
        less = left[:n] < right[:n]
        equal = left[:n] == right[:n]
        won += int(less.sum() + (equal & (source.random(n) < 0.5)).sum())
        pairs += n
    return won, pairs


def dominance(ours: Samples, theirs: Samples, times: float = 1.0) -> Dominance:
    """Of the rounds that both have, of which there is one at least."""
    rounds = min(ours.rounds, theirs.rounds)
    a = _shifted(ours.by_round[:rounds], times)
    b = theirs.by_round[:rounds]
    log_times = np.log([nanoseconds(n) for n in range(BINS)])
    often = [_often(*both) for both in zip(a, b, strict=True)]
    speedups = np.exp((b - a) @ log_times) * times
    ahead = np.cumsum(b.mean(axis=0)) - np.cumsum(a.mean(axis=0))
    worst = int(np.argmax(ahead))
    successes, pairs = _successes(ours, theirs, times)
    return Dominance(
        not_none(typical(often, most=1.0)),
        pairs,
        successes,
        csm_interval(successes, pairs),
        not_none(typical(speedups.tolist())),
        max(0.0, float(ahead[worst])),
        nanoseconds(worst),
    )


def not_none(found: Ratio | None) -> Ratio:
    """Of one round at least."""
    assert found is not None
    return found
