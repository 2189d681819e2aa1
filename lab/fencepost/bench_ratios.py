# SPDX-License-Identifier: MIT
"""Ratios of medians, and how sure they are."""

from __future__ import annotations

import random
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

#: Of fewer rounds no interval is told, and no verdict.
FEWEST = 3


@dataclass(frozen=True)
class Ratio:
    """A ratio of medians, or a median, with its 95 % bootstrap interval."""

    value: float
    low: float
    high: float
    rounds: int

    @property
    def interval(self) -> str:
        if self.rounds < FEWEST:
            return f"[{self.rounds} round{'s' * (self.rounds > 1)}]"
        return f"[{self.low:.3g}, {self.high:.3g}]"

    def verdict(self, bound: float, at_least: bool) -> str:
        """Met, missed, or not to be told apart from the bound by these windows."""
        if self.rounds < FEWEST:
            return "too few rounds"
        met = self.value >= bound if at_least else self.value <= bound
        certain = self.low >= bound if at_least else self.high <= bound
        hopeless = self.high < bound if at_least else self.low > bound
        if met:
            return "yes" if certain else "yes, within noise"
        return "no" if hopeless else "no, within noise"


def ratio_of_medians(
    ours: Sequence[float], peer: Sequence[float] | None, resamples: int = 2000
) -> Ratio | None:
    """Compare round by round: a resample draws whole rounds, ours and the peer's together."""
    rounds = len(ours) if peer is None else min(len(ours), len(peer))
    if rounds == 0:
        return None

    def statistic(chosen: Iterable[int]) -> float:
        indices = list(chosen)
        above = statistics.median(ours[n] for n in indices)
        if peer is None:
            return above
        below = statistics.median(peer[n] for n in indices)
        return above / below if below else float("inf")

    source = random.Random(1)
    drawn = sorted(statistic(source.choices(range(rounds), k=rounds)) for _ in range(resamples))
    return Ratio(
        statistic(range(rounds)),
        drawn[int(0.025 * (resamples - 1))],
        drawn[int(0.975 * (resamples - 1))],
        rounds,
    )
