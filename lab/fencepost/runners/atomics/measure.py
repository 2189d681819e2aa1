# SPDX-License-Identifier: MIT
"""Round after round, in each every piece once, in an order drawn anew; a piece that was disturbed
is repeated. What is kept can be gone on with later."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from fencepost.measure.results import Results, Windows
from fencepost.measure.watched import Failed, run_watched
from fencepost.measure.window import Outcome, Variant
from fencepost.measure.windows import Measuring, Taken, drawn_rounds, measure_rounds
from fencepost.runners.atomics.pieces import SUBJECTS, Piece


@dataclass(frozen=True)
class Plan:
    """Which pieces, how many rounds, how long the windows are relative to what they are."""

    pieces: Sequence[Piece]
    folder: Path
    rounds: int
    shorter: float
    others_limit: float
    seed: int
    #: When to stop, on the monotonic clock.
    until: float


def variants_of(piece: Piece) -> list[str]:
    return [piece.variant] if piece.variant else [one.split("=")[0] for one in piece.libraries]


def rounds_done(piece: Piece, windows: Windows) -> int:
    """How many windows of this piece there are, of each of its variants."""
    kept = windows.figures
    return min(len(kept.get((piece.subject, piece.work, v), {})) for v in variants_of(piece))


def take(piece: Piece, plan: Plan, order: random.Random) -> Taken:
    """One window: what each variant did in it."""
    subject = SUBJECTS[piece.subject]
    seconds = max(0.002, subject.seconds * plan.shorter)
    libraries = list(piece.libraries)
    order.shuffle(libraries)
    command = piece.command(plan.folder / subject.program, seconds, libraries)
    watched = run_watched(command, seconds)
    try:
        # A program may say something to people first.
        report = json.loads(watched.output.splitlines()[-1])
        found = report.pop("variants")
    except (ValueError, KeyError, IndexError):
        raise Failed("printed no figures") from None
    processors = os.sched_getaffinity(0)
    if report.get("threads") == 1:
        processors = {min(processors)}  # where the only thread is pinned
    others = watched.others(processors)
    measured = {piece.variant or name: figures for name, figures in found.items()}
    if sorted(measured) != sorted(variants_of(piece)):
        raise Failed(f"measured {', '.join(measured)}")
    return [
        (
            Variant(piece.subject, piece.work, name, piece.name),
            Outcome(figures, report, watched.elapsed, others),
        )
        for name, figures in measured.items()
    ]


def measure(plan: Plan, results: Results, windows: Windows) -> Iterator[str]:
    """Fill `windows` up to so many rounds; yields what goes wrong."""
    done = {piece: rounds_done(piece, windows) for piece in plan.pieces}
    order = random.Random(plan.seed)
    return measure_rounds(
        drawn_rounds(done, plan.rounds, plan.seed),
        sum(max(0, plan.rounds - already) for already in done.values()),
        lambda piece: piece.name,
        lambda piece: take(piece, plan, order),
        Measuring(results, windows, plan.others_limit, plan.until),
    )
