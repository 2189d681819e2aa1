# SPDX-License-Identifier: MIT
"""Bounds of a location that hold at every moment at once: whoever looks after each round, and stops
when they like, is wrong no more often than was said.

What is assumed of a round's figure x[i] (the logarithm of the ratio of two measurements): given all
that was before, it is as likely to lie d above the location as d below. Nothing else: its noise may
have any tails, grow, shrink and drift. Where the two were measured in an order that was drawn by
lot, and a constant factor lies between them, that is so whatever the machine does: swapping the two
swaps the sign of the noise.

Against "the location is at most m", a bet on the sign and size of x[i] - m multiplies a stake by
2 / (1 + exp(-2 b (x[i] - m))), which is between 0 and 2 and on average at most 1, if b >= 0 was
chosen before the round (de la Peña, "A general class of exponential inequalities for martingales
and ratios", 1999, with the cosh that he bounds; Vovk and Wang, "Nonparametric e-tests of symmetry",
2024). Stakes are spread over several b, in units of the noise seen until then. By Ville's
inequality the whole stake reaches 1/a with a probability of at most a, ever. The lower bound is the
greatest m against which it has (Howard, Ramdas, McAuliffe and Sekhon, "Time-uniform, nonparametric,
nonasymptotic confidence sequences", 2021); the upper one likewise.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

#: Stakes are put on these, in units of one over the noise.
_BETS = np.array([0.08, 0.16, 0.32, 0.64, 1.28, 2.56])
_STEPS = 40
#: Noise is never taken for less: no clock tells a part in a billion.
_LEAST_NOISE = 1e-9


class ConfidenceSequence:
    """Both bounds together are wrong, at any time, with a probability of at most `error`."""

    def __init__(self, error: float) -> None:
        self._goal = math.log(2 / error)
        self._figures: list[float] = []
        self._noise: list[float] = []
        self._low, self._high = -math.inf, math.inf

    @property
    def rounds(self) -> int:
        return len(self._figures)

    def add(self, figure: float) -> None:
        self._noise.append(_noise(self._figures))
        self._figures.append(figure)

    def interval(self) -> tuple[float, float]:
        """All that was not excluded now or when this was asked before. Where rounds contradict each
        other, so that nothing is left, the assumption does not hold: then the first bound is above
        the second."""
        if self._figures:
            x = np.array(self._figures)
            bets = _BETS[:, None] / np.array(self._noise)[None, :]
            self._low = max(self._low, self._bound(x, bets))
            self._high = min(self._high, -self._bound(-x, bets))
        return self._low, self._high

    def _bound(self, x: NDArray[np.float64], bets: NDArray[np.float64]) -> float:
        """The greatest place that the figures are above; the stake falls as the place rises."""
        spread = float(x.max() - x.min())
        below, above = float(x.min()) - 4 * max(spread, _LEAST_NOISE), float(x.max())
        if _log_stake(x - below, bets) < self._goal:
            return -math.inf
        for _ in range(_STEPS):
            middle = (below + above) / 2
            if _log_stake(x - middle, bets) >= self._goal:
                below = middle
            else:
                above = middle
        return below


def _noise(figures: list[float]) -> float:
    """Noise of the figures until now; infinite, so that nothing is bet, while they are too few."""
    if len(figures) < 2:
        return math.inf
    x = np.array(figures)
    middle = 1.4826 * float(np.median(np.abs(x - np.median(x))))
    return max(middle or float(np.std(x)), _LEAST_NOISE)


def _log_stake(away: NDArray[np.float64], bets: NDArray[np.float64]) -> float:
    won = math.log(2) - np.logaddexp(0.0, -2 * bets * away[None, :])
    return float(logsumexp(won.sum(axis=1)) - math.log(len(_BETS)))
