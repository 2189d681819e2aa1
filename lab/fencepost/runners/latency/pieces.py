# SPDX-License-Identifier: MIT
"""What is measured: every strategy in every surroundings, each one run of the program `latency`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from fencepost.measure.subjects import Subject


@dataclass(frozen=True)
class Strategy:
    """A heavy fence: what the program calls it, what people do, and how long a window of it is."""

    heavy: str
    name: str
    seconds: float


@dataclass(frozen=True)
class Surroundings:
    """What runs beside the waiter."""

    key: str
    name: str
    options: tuple[str, ...]


STRATEGIES = (
    Strategy("full_fences", "full fences", 0.15),
    Strategy("mprotect_untouched", "mprotect, untouched: no barrier", 0.3),
    Strategy("private_expedited", "membarrier, private expedited", 0.4),
    Strategy("bare_global_expedited", "membarrier, global expedited", 0.4),
    Strategy("mprotect", "mprotect, touched page", 0.4),
    Strategy("ticket", "ticket", 1.0),
    Strategy("ticket_1_ms", "ticket, deadline of 1 ms", 0.7),
    Strategy("ticket_clock_alone", "ticket, by the clock alone", 1.5),
    Strategy("virtual_clock", "the virtual clock", 1.2),
    Strategy("global", "membarrier, global (RCU)", 2.0),
)
SURROUNDINGS = (
    Surroundings("alone", "alone: neither readers nor load", ()),
    Surroundings("readers", "a reader runs on every other processor", ("--readers",)),
    Surroundings(
        "loaded", "readers, and load at nice 19 on every processor", ("--readers", "--load")
    ),
)
BY_HEAVY = {strategy.heavy: strategy for strategy in STRATEGIES}
BY_KEY = {surroundings.key: surroundings for surroundings in SURROUNDINGS}
SUBJECT = "latency"
SUBJECTS = {
    SUBJECT: Subject(SUBJECT, "how long does each heavy fence take?", "median", "ns", False)
}


@dataclass(frozen=True)
class Piece:
    strategy: Strategy
    surroundings: Surroundings

    @property
    def name(self) -> str:
        return f"{self.surroundings.key}/{self.strategy.heavy}"

    def command(self, program: Path, seconds: float) -> list[str]:
        return [
            str(program),
            "--heavy",
            self.strategy.heavy,
            "--seconds",
            str(seconds),
            *self.surroundings.options,
        ]


def all_pieces() -> Iterator[Piece]:
    for surroundings in SURROUNDINGS:
        for strategy in STRATEGIES:
            yield Piece(strategy, surroundings)
