# SPDX-License-Identifier: MIT
"""Where the location of noisy figures lies, as a distribution: Student-t noise whose heaviness is
estimated, and which may be correlated from one round to the next.

    x[i] - m = c (x[i-1] - m) + s e[i],    e[i] of Student's t distribution, v degrees of freedom

m is what is asked for: flat prior. s: flat in its logarithm. v: the Gamma(2, 0.1) of
Juarez and Steel (2010). c: half a normal distribution, c >= 0, for what lasts longer than a round
makes neighbours alike. With v large and c = 0 it is the t-test; Kruschke's "Bayesian estimation
supersedes the t test" (2013) has the noise, Benavoli and others' "Time for a change" (2017) the
correlation. All four are summed over a grid: the same figures give the same answer, without a
random number.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]

#: Below, a posterior distribution says nothing but what its priors do.
FEWEST_ROUNDS = 3
#: What an interval holds of it, where nothing else is asked for.
SHARE = 0.95

_HEAVINESS = np.array([1.0, 2.5, 8.0, 50.0])
_CORRELATIONS = np.arange(0.0, 0.9, 0.2)
_CORRELATION_SCALE = 0.35
_NORMAL = 50.0  # degrees of freedom
_SCALE_STEPS = np.linspace(-4.0, 6.5, 13)  # in standard deviations of log s
_PLACES = np.linspace(-7.6, 7.6, 131)  # sinh of the last: 1000
_TOGETHER = 16  # figures whose densities are multiplied before a logarithm is taken


@dataclass(frozen=True)
class Posterior:
    """A distribution over places: `cumulative[i]` of it lies below `places[i]`."""

    places: Numbers
    cumulative: Numbers

    def below(self, place: float) -> float:
        return float(np.interp(place, self.places, self.cumulative, left=0.0, right=1.0))

    def quantile(self, share: float) -> float:
        return float(np.interp(share, self.cumulative, self.places))

    @property
    def median(self) -> float:
        return self.quantile(0.5)

    def interval(self, share: float) -> tuple[float, float]:
        """What holds `share` of it, with as much on either side."""
        return self.quantile((1 - share) / 2), self.quantile((1 + share) / 2)

    @property
    def spread(self) -> float:
        """The standard deviation of a normal distribution with these quartiles."""
        return (self.quantile(0.75) - self.quantile(0.25)) / 1.349


def location(figures: Sequence[float]) -> Posterior:
    """Posterior of the location of noisy figures. There are at least FEWEST_ROUNDS of them, in the
    order in which they were taken."""
    x = np.asarray(figures, dtype=np.float64)
    if len(x) < FEWEST_ROUNDS:
        raise ValueError(f"{len(x)} figures, fewer than {FEWEST_ROUNDS}")
    finest = _resolution(x)
    centre = float(np.median(x))
    core = max(_spread(x), finest) / np.sqrt(len(x))
    places = centre + core * np.sinh(_PLACES)
    logs = _log_densities(x, places, finest)
    density = np.exp(logs - logs.max()).sum(axis=(0, 1, 2))
    return _from_density(places, density * np.cosh(_PLACES))


def difference(one: Posterior, other: Posterior) -> Posterior:
    """Posterior of one - other, where the two are independent of each other."""
    centre = one.median - other.median
    core = np.hypot(one.spread, other.spread)
    places = centre + core * np.sinh(_PLACES)
    middles = (one.places[1:] + one.places[:-1]) / 2
    shares = np.diff(one.cumulative)
    inverse = np.interp(
        middles[None, :] - places[:, None], other.places, other.cumulative, left=0.0, right=1.0
    )
    return Posterior(places, 1.0 - inverse @ shares / shares.sum())


def _from_density(places: Numbers, density: Numbers) -> Posterior:
    pieces = (density[1:] + density[:-1]) / 2
    cumulative = np.concatenate([[0.0], np.cumsum(pieces)])
    return Posterior(places, cumulative / cumulative[-1])


def _spread(x: Numbers) -> float:
    """Standard deviation of most of the figures; of all where most are the same."""
    middle = 1.4826 * float(np.median(np.abs(x - np.median(x))))
    return middle or float(np.std(x))


def _resolution(x: Numbers) -> float:
    """How finely the figures were told: no noise is taken to be smaller than a third of that."""
    least = 1e-9 * max(1.0, float(np.abs(x).max()))
    gaps = _steps(x, least)
    if len(gaps) + 1 == len(x):
        return least
    return float(gaps.min()) / 3 if len(gaps) else max(least, 1e-4)


def _steps(x: Numbers, least: float | Numbers) -> Numbers:
    """Between neighbours that differ, and not only by how they were computed."""
    gaps = np.diff(np.sort(x))
    return gaps[gaps > least]


def half_step(figures: Sequence[float]) -> float:
    """How far, as a logarithm, what was measured may lie from figures that are told in steps, such
    as ticks of a clock, to either side: no number of rounds makes that less. Zero where no figure
    is there twice, for then noise fills the steps. Of figures that are all the same it is their
    last decimal place."""
    x = np.sort(np.asarray(figures, dtype=np.float64))
    gaps = _steps(x, 1e-9 * x[1:])
    if len(gaps) + 1 >= len(x):
        return 0.0
    middle = float(np.median(x))
    step = float(gaps.min()) if len(gaps) else _last_place(middle)
    return -math.log(1 - min(step / middle, 1.0) / 2)


def _last_place(figure: float) -> float:
    """Last decimal place of a number of nine digits at most: 0.01 of 0.25, 1 of 1200."""
    exponent = Decimal(f"{figure:.9g}").as_tuple().exponent
    assert isinstance(exponent, int)
    return 10.0 ** min(exponent, 0)


def widened(posterior: Posterior, half: float) -> Posterior:
    """Posterior of what lies up to `half` to either side, one place as likely as another."""
    places, below = posterior.places, posterior.cumulative
    if half < 1e-6 * posterior.spread:
        return posterior
    widths = np.diff(places)
    areas = np.concatenate([[0.0], np.cumsum((below[1:] + below[:-1]) / 2 * widths)])
    slopes = np.diff(below) / widths

    def area(end: Numbers) -> Numbers:
        """Under the cumulative distribution, from the left."""
        piece = np.clip(np.searchsorted(places, end) - 1, 0, len(slopes) - 1)
        away = np.clip(end, places[0], places[-1]) - places[piece]
        found = areas[piece] + below[piece] * away + slopes[piece] * away**2 / 2
        return np.asarray(found + np.maximum(end - places[-1], 0.0))

    wide = np.unique(np.concatenate([places - half, places, places + half]))
    cumulative = np.clip((area(wide + half) - area(wide - half)) / (2 * half), 0.0, 1.0)
    cumulative = np.maximum.accumulate(cumulative)
    return Posterior(wide, cumulative / cumulative[-1])


def _log_prior() -> Numbers:
    """By correlation and heaviness."""
    # By the logarithm of v, in which its places are about evenly spaced.
    of_heaviness = 2 * np.log(_HEAVINESS) - 0.1 * _HEAVINESS
    return np.asarray(of_heaviness - 0.5 * (_CORRELATIONS / _CORRELATION_SCALE)[:, None] ** 2)


def _log_densities(x: Numbers, places: Numbers, finest: float) -> Numbers:
    """Logarithm of the density of m by correlation, heaviness, scale and place."""
    # The first figure knows no former one: its noise is that of the whole process. It may be an
    # outlier only where figures are independent, lest a trend be taken for the way back from one.
    first = np.sqrt(1 - _CORRELATIONS**2)
    whitened = x - _CORRELATIONS[:, None] * np.concatenate([[0.0], x[:-1]])
    whitened[:, 0] *= first
    pull = np.broadcast_to(1 - _CORRELATIONS[:, None], whitened.shape).copy()
    pull[:, 0] = first
    of_first = np.where(_CORRELATIONS[:, None] == 0.0, _HEAVINESS, _NORMAL)
    doubt = np.sqrt((_HEAVINESS + 3) / (2 * len(x) * _HEAVINESS))
    fitted = np.maximum(_fitted_scales(whitened, pull), finest)
    scales = np.maximum(fitted[..., None] * np.exp(doubt[:, None] * _SCALE_STEPS), finest)
    squares = (whitened[..., None] - pull[..., None] * places) ** 2
    logs = _log_noise(squares[:, :1], scales, of_first)
    logs += _log_noise(squares[:, 1:], scales, np.broadcast_to(_HEAVINESS, of_first.shape))
    weights = np.log(doubt * first[:, None]) + _log_prior()
    return np.asarray(logs + weights[..., None, None])


def _log_noise(squares: Numbers, scales: Numbers, heaviness: Numbers) -> Numbers:
    """Log density of Student's t distribution for all figures together. Squares are by correlation,
    figure and place; the result by correlation, heaviness, scale and place."""
    total = np.zeros((*scales.shape, squares.shape[-1]))
    over = 1 / (heaviness[..., None] * scales**2)
    factor = np.empty_like(total)
    for start in range(0, squares.shape[1], _TOGETHER):
        product = np.ones_like(total)
        for n in range(start, min(start + _TOGETHER, squares.shape[1])):
            np.multiply(over[..., None], squares[:, n, None, None, :], out=factor)
            np.minimum(factor, 1e18, out=factor)
            factor += 1
            product *= factor
        total += np.log(product)
    each = _log_constant(heaviness)[..., None] - np.log(scales)
    power = (heaviness[..., None, None] + 1) / 2
    noise: Numbers = squares.shape[1] * each[..., None] - power * total
    return noise


def _log_constant(heaviness: Numbers) -> Numbers:
    """Logarithm of Student's t density at zero, where the scale is 1."""
    gammas = np.vectorize(math.lgamma)
    return np.asarray(gammas((heaviness + 1) / 2) - gammas(heaviness / 2) - np.log(heaviness) / 2)


def _fitted_scales(whitened: Numbers, pull: Numbers) -> Numbers:
    """The likeliest s by correlation and heaviness, by expectation and maximisation."""
    place = np.median(whitened / pull, axis=1, keepdims=True)
    rest = whitened - pull * place
    scale = 1.4826 * np.median(np.abs(rest), axis=1, keepdims=True)
    scale = np.where(scale > 0, scale, np.sqrt(np.mean(rest**2, axis=1, keepdims=True)))
    shape = (len(_CORRELATIONS), len(_HEAVINESS), 1)
    place, scale = (np.broadcast_to(one[:, None], shape).copy() for one in (place, scale))
    whitened, pull = whitened[:, None], pull[:, None]
    heaviness = _HEAVINESS[:, None]
    for _ in range(12):
        rest = whitened - pull * place
        weights = (heaviness + 1) / (heaviness + (rest / np.where(scale > 0, scale, 1)) ** 2)
        weighed = weights * pull
        place = np.sum(weighed * whitened, axis=2, keepdims=True) / np.sum(
            weighed * pull, axis=2, keepdims=True
        )
        rest = whitened - pull * place
        scale = np.where(scale > 0, np.sqrt(np.mean(weights * rest**2, axis=2, keepdims=True)), 0)
    return np.asarray(scale[..., 0])
