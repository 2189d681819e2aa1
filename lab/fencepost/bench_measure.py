# SPDX-License-Identifier: MIT
"""Window after window, interleaved, each repeated until it was not disturbed."""

from __future__ import annotations

import math
import random
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from fencepost.bench_results import Results, Windows
from fencepost.bench_watched import Failed
from fencepost.bench_window import Outcome, Variant, run_window

TRIES = 10
Item = TypeVar("Item")


class Progress:
    """One line on a terminal, rewritten; nothing elsewhere."""

    def __init__(self, windows: int) -> None:
        self.windows = windows
        self.done = 0
        self.start = time.monotonic()
        self.shown = sys.stderr.isatty()

    def step(self, name: str, discarded: int) -> None:
        self.done += 1
        if not self.shown:
            return
        left = (time.monotonic() - self.start) / self.done * (self.windows - self.done)
        text = f"{self.done}/{self.windows} windows, {left:.0f} s left, {discarded} discarded"
        print(f"\r{text}: {name}"[:99].ljust(99), end="",
              file=sys.stderr, flush=True)  # fmt: skip

    def close(self) -> None:
        if self.shown:
            print("\r" + " " * 99 + "\r", end="", file=sys.stderr, flush=True)


#: One window of something: what each variant did in it.
Taken = list[tuple[Variant, Outcome]]


@dataclass(frozen=True)
class Measuring:
    """Where windows go, when they are thrown away, and when it is over."""

    results: Results
    windows: Windows
    others_limit: float
    #: On the monotonic clock.
    until: float = math.inf


def measure_rounds(
    rounds: Iterable[tuple[int, Sequence[Item]]],
    count: int,
    name: Callable[[Item], str],
    take: Callable[[Item], Taken],
    into: Measuring,
) -> list[str]:
    """Round after round, in each every item once, repeated until it was not disturbed; `count` of
    them in all. Returns what went wrong. Interrupted, or out of time, it leaves what was done."""
    troubles: list[str] = []
    broken: set[str] = set()
    progress = Progress(count)
    try:
        for number, items in rounds:
            for item in items:
                called = name(item)
                if time.monotonic() >= into.until:
                    return troubles
                progress.step(called, into.windows.discarded)
                if called in broken:
                    continue
                try:
                    if not measure_one(number, item, take, into):
                        troubles.append(f"{called}: round {number}: disturbed {TRIES} times")
                except Failed as failure:
                    broken.add(called)
                    troubles.append(f"{called}: {failure}")
    finally:
        progress.close()
    return troubles


def drawn_rounds(
    done: Mapping[Item, int], count: int, seed: int
) -> Iterator[tuple[int, list[Item]]]:
    """So many rounds, each in an order drawn anew, less what was `done` of them earlier."""
    order = random.Random()
    for number in range(count):
        order.seed(f"{seed} {number}")
        items = [item for item, already in done.items() if already <= number]
        order.shuffle(items)
        yield number, items


def measure_one(number: int, item: Item, take: Callable[[Item], Taken], into: Measuring) -> bool:
    """Whether there is a window that was not disturbed, or no time left for one."""
    for _ in range(TRIES):
        taken = take(item)
        kept = not any(outcome.is_disturbed(into.others_limit) for _, outcome in taken)
        for variant, outcome in taken:
            into.windows.add(into.results.window(variant, number, outcome, kept))
        if kept or time.monotonic() >= into.until:
            return True
    return False


@dataclass(frozen=True)
class Plan:
    """What is to be measured."""

    variants: list[Variant]
    programs: dict[str, Path]
    repetitions: int
    seconds: dict[str, float]
    others_limit: float


def measure(plan: Plan, results: Results, windows: Windows) -> list[str]:
    """Fill `windows`; returns what went wrong. Interrupted, it leaves what was done."""

    def take(variant: Variant) -> Taken:
        seconds = plan.seconds[variant.subject]
        return [(variant, run_window(plan.programs[variant.subject], variant.name, seconds))]

    return measure_rounds(
        ((number, plan.variants) for number in range(plan.repetitions)),
        len(plan.variants) * plan.repetitions,
        lambda variant: f"{variant.work}/{variant.variant}",
        take,
        Measuring(results, windows, plan.others_limit),
    )
