# SPDX-License-Identifier: MIT
"""Sums of locks' counters, and what their histograms tell of durations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from fencepost.profile.file import BUCKETS, Lock

#: Counters by their name here and in JSON.
COUNTERS = {
    "acquisitions": "acquisitions",
    "shared": "shared",
    "contended": "contended",
    "handovers": "handovers",
    "refused": "refused",
    "timed_out": "timed_out",
    "waited": "waited_ns",
    "slept": "slept_ns",
    "sleeps": "sleeps",
    "held": "held_ns",
    "wakes": "wakes",
}

#: What is a loss when it waits: who waits for the others waits for work, or for who knows what.
LOCKS = ("mutex", "read_write", "spin")


@dataclass(frozen=True)
class Bounds:
    """Between which durations in ns a quantile lies, both included; `high` None: no bound."""

    low: int
    high: int | None


@dataclass
class Counts:
    """Counters of some locks together. `sees_sleeps`: whether sleeping was seen in all of them;
    `sees_holds`: whether it was seen for how long each was held; `sees_each`: whether each is one
    lock, not all of a kind that found no room."""

    locks: int = 0
    sees_sleeps: bool = True
    sees_holds: bool = True
    sees_each: bool = True
    acquisitions: int = 0
    shared: int = 0
    contended: int = 0
    handovers: int = 0
    refused: int = 0
    timed_out: int = 0
    waited: int = 0
    slept: int = 0
    sleeps: int = 0
    held: int = 0
    wakes: int = 0
    waits: list[int] = field(default_factory=lambda: [0] * BUCKETS)
    holds: list[int] = field(default_factory=lambda: [0] * BUCKETS)

    def add(self, lock: Lock, sees_sleeps: bool, still_held: int | None = 0) -> None:
        """`still_held`: ns that its counter does not have yet; None: not known."""
        self.locks += 1
        self.sees_sleeps = self.sees_sleeps and sees_sleeps and not lock.unseen
        self.sees_each = self.sees_each and lock.is_one
        self.sees_holds = self.sees_holds and lock.is_one and not lock.unmeasured
        self.sees_holds = self.sees_holds and still_held is not None
        for name in COUNTERS:
            setattr(self, name, getattr(self, name) + getattr(lock, name))
        self.held += still_held or 0
        self.waits = [a + b for a, b in zip(self.waits, lock.waits, strict=True)]
        self.holds = [a + b for a, b in zip(self.holds, lock.holds, strict=True)]

    @property
    def taken(self) -> int:
        """How often, alone or together with others."""
        return self.acquisitions + self.shared

    @property
    def spun(self) -> int:
        """ns of waiting that were not slept."""
        return max(0, self.waited - self.slept)

    def as_json(self) -> dict[str, Any]:
        """What was not seen is null."""
        counters: dict[str, Any] = {new: getattr(self, name) for name, new in COUNTERS.items()}
        counters["spun_ns"] = self.spun
        if not self.sees_sleeps:
            counters |= {"slept_ns": None, "sleeps": None, "spun_ns": None, "wakes": None}
        counters["waits_histogram"] = _without_zeros(self.waits)
        counters["holds_histogram"] = _without_zeros(self.holds)
        if not self.sees_holds:
            counters |= {"held_ns": None, "holds_histogram": None}
        if not self.sees_each:
            counters["handovers"] = None
        return counters


def _without_zeros(histogram: Sequence[int]) -> list[int]:
    """Without those at its end."""
    used = max((n + 1 for n, number in enumerate(histogram) if number), default=0)
    return list(histogram[:used])


def bucket(n: int) -> Bounds:
    """The durations that entry n of a histogram counts."""
    low = 0 if n == 0 else 1 << (n - 1)
    return Bounds(low, None if n >= BUCKETS - 1 else (1 << n) - 1 if n else 0)


def quantile(histogram: Sequence[int], share: float) -> Bounds | None:
    """Where the smallest duration lies below or at which are `share` of all; None of none."""
    total = sum(histogram)
    if total == 0:
        return None
    wanted, seen = share * total, 0
    for n, number in enumerate(histogram):
        seen += number
        if number and seen >= wanted:
            return bucket(n)
    return bucket(BUCKETS - 1)
