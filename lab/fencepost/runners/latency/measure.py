# SPDX-License-Identifier: MIT
"""Round after round, in each every piece once, in an order drawn anew. What is kept can be gone on
with later."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from fencepost.measure.results import Results, Windows
from fencepost.measure.watched import Failed, run_watched
from fencepost.measure.window import Outcome, Variant
from fencepost.measure.windows import Measuring, Taken, drawn_rounds, measure_rounds
from fencepost.runners.latency.pieces import SUBJECT, Piece


@dataclass(frozen=True)
class Plan:
    """Which pieces, how many rounds, how long the windows are relative to what they are."""

    pieces: Sequence[Piece]
    program: Path
    rounds: int
    shorter: float
    others_limit: float
    seed: int
    #: When to stop, on the monotonic clock.
    until: float


def rounds_done(piece: Piece, windows: Windows) -> int:
    key = (SUBJECT, piece.surroundings.key, piece.strategy.heavy)
    return len(windows.figures.get(key, {}))


def take(piece: Piece, plan: Plan) -> Taken:
    """One window."""
    seconds = piece.strategy.seconds * plan.shorter
    watched = run_watched(piece.command(plan.program, seconds), seconds)
    try:
        report = json.loads(watched.output.splitlines()[-1])
        usable = report["usable"]
    except (ValueError, KeyError, IndexError):
        raise Failed("printed no figures") from None
    if not usable:
        raise Failed("does not work here")
    if report["samples"] == 0:
        raise Failed("no reader was ever running")
    first = report.pop("first_bin")
    figures = {
        f"bin {first + n}": float(count) for n, count in enumerate(report.pop("bins")) if count
    }
    figures |= {
        name: float(value)
        for name, value in report.items()
        if isinstance(value, (int, float)) and name != "usable"
    }
    others = watched.others(os.sched_getaffinity(0))
    variant = Variant(SUBJECT, piece.surroundings.key, piece.strategy.heavy, piece.name)
    return [(variant, Outcome(figures, report, watched.elapsed, others))]


def measure(plan: Plan, results: Results, windows: Windows) -> Iterator[str]:
    """Fill `windows` up to so many rounds; yields what goes wrong."""
    done = {piece: rounds_done(piece, windows) for piece in plan.pieces}
    return measure_rounds(
        drawn_rounds(done, plan.rounds, plan.seed),
        sum(max(0, plan.rounds - already) for already in done.values()),
        lambda piece: piece.name,
        lambda piece: take(piece, plan),
        Measuring(results, windows, plan.others_limit, plan.until),
    )
