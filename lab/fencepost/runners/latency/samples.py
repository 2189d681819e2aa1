# SPDX-License-Identifier: MIT
"""What was measured of one strategy in one surroundings: how many waits fell into each bin, round
by round. Bin n begins at 10^(n/64) nanoseconds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fencepost.measure.results import Windows
from fencepost.runners.latency.pieces import SUBJECT
from fencepost.runners.latency.saved import BIN

PER_DECADE = 64
BINS = 11 * PER_DECADE

Counts = NDArray[np.float64]


@dataclass(frozen=True)
class Samples:
    """`counts[r, n]`: how many of round r fell into bin n."""

    counts: Counts
    #: Left out, for a reader was not running.
    not_running: int
    reader_share: float
    load_share: float
    most: float

    @property
    def rounds(self) -> int:
        return int(self.counts.shape[0])

    @property
    def number(self) -> int:
        return int(self.counts.sum())

    @property
    def by_round(self) -> Counts:
        """Share of a round's waits in each bin."""
        return np.asarray(self.counts / self.counts.sum(axis=1, keepdims=True))

    @property
    def share(self) -> Counts:
        """Share of all waits in each bin; every round counts the same."""
        return np.asarray(self.by_round.mean(axis=0))


def samples_of(windows: Windows, surroundings: str, heavy: str) -> Samples | None:
    rounds = windows.figures.get((SUBJECT, surroundings, heavy))
    if not rounds:
        return None
    counts = np.zeros((len(rounds), BINS))
    for row, figures in enumerate(rounds.values()):
        for name, value in figures.items():
            if name.startswith(BIN):
                counts[row, int(name[len(BIN) :])] = value
    together = list(rounds.values())
    return Samples(
        counts,
        int(sum(figures["not_running"] for figures in together)),
        float(np.mean([figures["reader_share"] for figures in together])),
        float(np.mean([figures["load_share"] for figures in together])),
        max(figures["most"] for figures in together),
    )


def nanoseconds(bin_number: float) -> float:
    """The middle of a bin."""
    return float(10 ** ((bin_number + 0.5) / PER_DECADE))


def quantile(share: Counts, part: float) -> float:
    """In nanoseconds; within a bin, that is 4 %."""
    below = np.cumsum(share)
    n = int(np.searchsorted(below, part * below[-1]))
    inside = (part * below[-1] - (below[n] - share[n])) / share[n] if share[n] else 0.5
    return float(10 ** ((n + min(max(inside, 0.0), 1.0)) / PER_DECADE))


def time_said(nanoseconds: float) -> str:
    for size, unit in ((1e9, "s"), (1e6, "ms"), (1e3, "µs")):
        if nanoseconds >= size * 0.9999:
            return f"{nanoseconds / size:.3g} {unit}"
    return f"{nanoseconds:.3g} ns"


def quantiles_by_round(samples: Samples, part: float) -> list[float]:
    return [quantile(share, part) for share in samples.by_round]
