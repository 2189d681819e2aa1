# SPDX-License-Identifier: MIT
"""Window after window, interleaved, each repeated until it was not disturbed."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from pathlib import Path

from measuring.results import Results, Windows
from measuring.watched import Failed
from measuring.window import Variant, run_window

TRIES = 10


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
    troubles: list[str] = []
    broken: set[Variant] = set()
    progress = Progress(len(plan.variants) * plan.repetitions)
    try:
        for number in range(plan.repetitions):
            for variant in plan.variants:
                progress.step(f"{variant.work}/{variant.variant}", windows.discarded)
                if variant in broken:
                    continue
                try:
                    if not measure_one(plan, variant, number, results, windows):
                        troubles.append(f"{variant.work}/{variant.variant}: "
                                        f"round {number}: disturbed {TRIES} times")  # fmt: skip
                except Failed as failure:
                    broken.add(variant)
                    troubles.append(f"{variant.work}/{variant.variant}: {failure}")
    finally:
        progress.close()
    return troubles


def measure_one(
    plan: Plan, variant: Variant, number: int, results: Results, windows: Windows
) -> bool:
    seconds = plan.seconds[variant.subject]
    for _ in range(TRIES):
        outcome = run_window(plan.programs[variant.subject], variant.name, seconds)
        kept = not outcome.is_disturbed(plan.others_limit)
        windows.add(results.window(variant, number, outcome, kept))
        if kept:
            return True
    return False
