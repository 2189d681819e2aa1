# SPDX-License-Identifier: MIT
"""Round after round, in each every piece once, in an order drawn anew; a piece that was disturbed
is repeated. What is kept can be gone on with later."""

from __future__ import annotations

import json
import os
import random
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from measuring.measure import TRIES, Progress
from measuring.results import Results, Windows
from measuring.watched import Failed, run_watched
from measuring.window import Outcome, Variant

from turns.pieces import SUBJECTS, Piece


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


def take(piece: Piece, plan: Plan, order: random.Random) -> list[tuple[str, Outcome]]:
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
    outcomes = [
        (piece.variant or name, Outcome(figures, report, watched.elapsed, others))
        for name, figures in found.items()
    ]
    if sorted(name for name, _ in outcomes) != sorted(variants_of(piece)):
        raise Failed(f"measured {', '.join(name for name, _ in outcomes)}")
    return outcomes


def measure(plan: Plan, results: Results, windows: Windows) -> list[str]:
    """Fill `windows` up to so many rounds; returns what went wrong. Interrupted, or out of time, it
    leaves what was done."""
    troubles: list[str] = []
    broken: set[Piece] = set()
    given_up: Counter[Piece] = Counter()
    left = sum(max(0, plan.rounds - rounds_done(piece, windows)) for piece in plan.pieces)
    progress = Progress(left)
    try:
        for number in range(plan.rounds):
            order = random.Random(f"{plan.seed} {number}")
            pieces = [
                piece
                for piece in plan.pieces
                if rounds_done(piece, windows) + given_up[piece] <= number
            ]
            order.shuffle(pieces)
            for piece in pieces:
                if time.monotonic() >= plan.until:
                    return troubles
                progress.step(piece.name, windows.discarded)
                if piece in broken:
                    continue
                try:
                    if not measure_one(piece, plan, order, number, results, windows):
                        given_up[piece] += 1
                        troubles.append(f"{piece.name}: round {number}: disturbed {TRIES} times")
                except Failed as failure:
                    broken.add(piece)
                    troubles.append(f"{piece.name}: {failure}")
    finally:
        progress.close()
    return troubles


def measure_one(
    piece: Piece, plan: Plan, order: random.Random, number: int, results: Results, windows: Windows
) -> bool:
    for _ in range(TRIES):
        outcomes = take(piece, plan, order)
        kept = not any(outcome.is_disturbed(plan.others_limit) for _, outcome in outcomes)
        for name, outcome in outcomes:
            variant = Variant(piece.subject, piece.work, name, piece.name)
            windows.add(results.window(variant, number, outcome, kept))
        if kept:
            return True
        if time.monotonic() >= plan.until:
            return True
    return False
