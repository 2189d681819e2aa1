# SPDX-License-Identifier: MIT
"""What a comparison says: three probabilities, an effect with its interval, and whether that is an
answer, also where many questions are asked at once."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass, replace

from scipy.special import ndtri

from fencepost.compare.posterior import (
    FEWEST_ROUNDS,
    Posterior,
    difference,
    half_step,
    location,
    widened,
)
from fencepost.compare.select import Pair
from fencepost.console.input_error import UnusableInput

HIGHER, LOWER, EQUAL, UNKNOWN = "higher", "lower", "equal", "not distinguishable"
#: Beyond so many further rounds none are asked for.
MOST_ROUNDS = 100_000
_TREND_DOUBT = 0.001
#: Of a confidence sequence: among how many bets its stake is shared out.
_STAKES = 6


@dataclass(frozen=True)
class Rope:
    """The region of practical equivalence, as a share: 0.01 is ±1 %, from 1/1.01 to 1.01."""

    share: float

    @property
    def half_width(self) -> float:
        """Half the width of the region, as the logarithm of a ratio."""
        return math.log1p(self.share)

    def __str__(self) -> str:
        return f"{100 * self.share:g} %"


@dataclass(frozen=True)
class Comparison:
    """One side beside the other; `verdict` says how the first one is."""

    pair: Pair
    rope: Rope
    certainty: float
    posterior: Posterior
    higher: float
    equal: float
    lower: float
    #: How far figures that are told in steps may lie from what was measured, as a logarithm.
    coarseness: float = 0.0
    #: With --all-pairs or many variants: what is left for this answer to be wrong.
    questions: int = 1
    verdict: str = UNKNOWN
    #: Of the logarithm of the ratio: bounds that hold whenever one looks, which the verdict is by.
    anytime: tuple[float, float] | None = None

    @property
    def rounds(self) -> int:
        return min(len(self.pair.ones), len(self.pair.others))

    @property
    def effect(self) -> float:
        """The typical ratio, one over the other."""
        return math.exp(self.posterior.median)

    def interval(self, share: float) -> tuple[float, float]:
        low, high = self.posterior.interval(share)
        return math.exp(min(low, 700)), math.exp(min(high, 700))

    @property
    def doubt(self) -> float:
        """Probability that the likeliest of the three answers is wrong."""
        return 1 - max(self.higher, self.equal, self.lower)

    @property
    def rounds_needed(self) -> int | None:
        """How many more would tell if the effect is what it looks like; None for too many."""
        effect, border = self.posterior.median, self.rope.half_width
        doubt = (1 - self.certainty) / self.questions
        away = abs(effect) - border
        reach = abs(away) - self.coarseness
        # Equivalence has two borders to be away from.
        sides = 1 if away > 0 else 2
        deviations = -float(ndtri(doubt / sides))
        fewest = 1
        if self.anytime is not None:
            deviations = math.sqrt(2 * math.log(2 * _STAKES / doubt))
            # The first two rounds show the noise, each further one doubles a stake at best.
            fewest = math.ceil(2 + math.log2(2 * _STAKES / doubt)) - self.rounds
        wanted = deviations * self.posterior.spread
        if reach * math.sqrt(MOST_ROUNDS / self.rounds) < wanted:
            return None
        return max(1, fewest, math.ceil(self.rounds * (wanted / reach) ** 2) - self.rounds)


def compare(pair: Pair, rope: Rope, certainty: float) -> Comparison:
    """Raises UnusableInput for too few rounds."""
    for sample, figures in ((pair.one, pair.ones), (pair.other, pair.others)):
        if len(figures) < FEWEST_ROUNDS:
            raise UnusableInput(
                f"{sample.subject} {sample.work}: {len(figures)} rounds of {sample.name} are too "
                f"few: {FEWEST_ROUNDS} are the fewest that say anything"
            )
    ones = [math.log(value) for value in pair.ones]
    others = [math.log(value) for value in pair.others]
    remarks = list(pair.remarks)
    if pair.in_turns:
        ratios = [one - other for one, other in zip(ones, others, strict=True)]
        posterior = location(ratios)
        remarks += _trend(ratios, "the ratio")
    else:
        posterior = difference(location(ones), location(others))
        remarks += _trend(ones, pair.one.name) + _trend(others, pair.other.name)
    border = rope.half_width
    coarseness = 0.0
    for sample, figures in ((pair.one, pair.ones), (pair.other, pair.others)):
        half = half_step(figures)
        posterior = widened(posterior, half)
        coarseness += half
        if half > border / 4:
            remarks.append(
                f"{sample.name}: its figures come in steps of about "
                f"{-200 * math.expm1(-half):.3g} %, and what lies between two is not known"
            )
    lower, not_higher = posterior.below(-border), posterior.below(border)
    return Comparison(
        replace(pair, remarks=tuple(remarks)),
        rope,
        certainty,
        posterior,
        1 - not_higher,
        not_higher - lower,
        lower,
        coarseness,
    )


def _trend(figures: Sequence[float], what: str) -> list[str]:
    if len(figures) < 8 or len(set(figures)) < 3:
        return []
    # Loading it takes half a second, which a wrong word on the command line need not wait for.
    from scipy.stats import spearmanr

    found = spearmanr(range(len(figures)), figures)
    if found.pvalue > _TREND_DOUBT:
        return []
    first, last = figures[: len(figures) // 3], figures[-(len(figures) // 3) :]
    change = math.expm1(statistics.median(last) - statistics.median(first))
    return [f"{what} drifts: {100 * change:+.1f} % from the first third of the rounds to the last"]


def judged(comparisons: Sequence[Comparison]) -> list[Comparison]:
    """Add the verdicts. Of many questions, each answer is held to Holm's step-down bound, so that
    the probability that any answer is wrong stays below 1 - certainty."""
    verdicts = [UNKNOWN] * len(comparisons)
    order = sorted(range(len(comparisons)), key=lambda n: comparisons[n].doubt)
    for step, index in enumerate(order):
        one = comparisons[index]
        if one.doubt > (1 - one.certainty) / (len(comparisons) - step):
            break
        likeliest = max((one.higher, HIGHER), (one.equal, EQUAL), (one.lower, LOWER))
        verdicts[index] = likeliest[1]
    return [
        replace(one, verdict=verdict, questions=len(comparisons))
        for one, verdict in zip(comparisons, verdicts, strict=True)
    ]
