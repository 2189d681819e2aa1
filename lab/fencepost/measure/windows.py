# SPDX-License-Identifier: MIT
"""Window after window, interleaved, each repeated until it was not disturbed."""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from fencepost.console.progress import ProgressLine, duration
from fencepost.measure.results import Results, Windows
from fencepost.measure.watched import Failed
from fencepost.measure.window import Outcome, Variant

TRIES = 10
Item = TypeVar("Item")


class Progress:
    """One line on a terminal: how far it is, and how long it will take."""

    WIDTH = 20

    def __init__(self, windows: int) -> None:
        self.windows = windows
        self.done = 0
        self.start = time.monotonic()
        self.line = ProgressLine()

    def step(self, name: str, discarded: int) -> None:
        self.done += 1
        if self.done > 1:
            each = (time.monotonic() - self.start) / (self.done - 1)
            left = f"{duration(each * (self.windows - self.done + 1))} left"
        else:
            left = "the first one"
        bar = "#" * (self.WIDTH * self.done // self.windows)
        how_far = f"[{bar:.<{self.WIDTH}}] {self.done}/{self.windows}, {left}"
        self.line.say(f"{how_far}, {discarded} discarded: {name}")

    def close(self) -> None:
        self.line.clear()


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
    #: Is told what failed, in which round, and why.
    failed: Callable[[Any, int, str], None] = lambda *_: None
    #: How often a window is measured at most, until one is not disturbed.
    tries: int = TRIES


def measure_rounds(
    rounds: Iterable[tuple[int, Sequence[Item]]],
    count: int,
    name: Callable[[Item], str],
    take: Callable[[Item], Taken],
    into: Measuring,
) -> Iterator[str]:
    """Round after round, in each every item once, repeated until it was not disturbed; `count` of
    them in all. Yields what goes wrong. Interrupted, or out of time, it leaves what was done."""
    broken: set[str] = set()
    progress = Progress(count)
    try:
        for number, items in rounds:
            for item in items:
                called = name(item)
                if time.monotonic() >= into.until:
                    return
                progress.step(called, into.windows.discarded)
                if called in broken:
                    continue
                try:
                    if not measure_one(number, item, take, into):
                        yield f"{called}: round {number}: disturbed {into.tries} times"
                except Failed as failure:
                    broken.add(called)
                    into.failed(item, number, str(failure))
                    yield f"{called}: {failure}"
    finally:
        progress.close()


def drawn_rounds(
    done: Mapping[Item, int], count: int, seed: int
) -> Iterator[tuple[int, list[Item]]]:
    """So many rounds, each in an order drawn anew, less what was `done` of them earlier."""
    order = random.Random()
    for number in range(count):
        order.seed(f"{seed} {number}")
        items = list(done)
        order.shuffle(items)
        yield number, [item for item in items if done[item] <= number]


def measure_one(number: int, item: Item, take: Callable[[Item], Taken], into: Measuring) -> bool:
    """Whether there is a window that was not disturbed, or no time left for one."""
    for _ in range(into.tries):
        taken = take(item)
        kept = not any(outcome.is_disturbed(into.others_limit) for _, outcome in taken)
        for variant, outcome in taken:
            into.windows.add(into.results.window(variant, number, outcome, kept))
        if kept or time.monotonic() >= into.until:
            return True
    return False
