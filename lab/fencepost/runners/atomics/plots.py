# SPDX-License-Identifier: MIT
"""The two figures of J. Gustedt's description, from our windows: what each lock gets done on the
stack by the number of threads, and the same as multiples of the pthread mutex; once more with
owners that are descheduled."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from fencepost.compare.ratios import Ratio, ratio_by_round, typical
from fencepost.measure.results import Windows
from fencepost.runners.atomics.curves import Curve, Plot, Point, Style, draw, styles
from fencepost.runners.atomics.pieces import (
    DESCHEDULED,
    OURS,
    REFERENCE,
    STACK_THREADS,
    SUBJECTS,
    SYSTEM,
    work_name,
)
from fencepost.runners.atomics.saved import Saved

STYLES = {
    "mutex": Style("#0b57d0"),
    "futex_mutex": Style("#1a7f37"),
    "published_futex": Style("#e37400"),
    "musl_lock": Style("#a142f4"),
    REFERENCE: Style("#202124"),
    "mtx": Style("#202124", "2 3"),
    "compare_exchange_spin": Style("#c5221f"),
    "flag_spin": Style("#c5221f", "5 3"),
    SYSTEM: Style("#80868b"),
    "bare_pthread_mutex": Style("#80868b", "5 3"),
    "instruction": Style("#00a1c9"),
    "instruction_called": Style("#00a1c9", "5 3"),
}
NAMES = {
    SYSTEM: "GCC's libatomic",
    "bare_pthread_mutex": "bare pthread mutex",
    "instruction": "16-byte instruction",
    "instruction_called": "instruction, called",
}
FIGURE = SUBJECTS["lifo"].figure


def points(windows: Windows, variant: str, descheduled: int, relative: bool) -> Iterator[Point]:
    for threads in STACK_THREADS:
        work = work_name("stack", threads, descheduled)
        ours = windows.by_round("lifo", work, variant, FIGURE)
        rounds = list(ours.values())
        middle: Ratio | None = typical(rounds)
        if relative:
            peer = windows.by_round("lifo", work, REFERENCE, FIGURE)
            middle = ratio_by_round(ours, peer)
            rounds = [value / peer[one] for one, value in ours.items() if peer.get(one)]
        if middle is not None:
            yield Point(threads, rounds, middle)


def where(found: Saved) -> str:
    """The machine that the figures are from."""
    run = found.runs[-1] if found.runs else {}
    return f"{run.get('machine', 'unknown machine')}, {run.get('processors', '?')} processors"


def plot(found: Saved, descheduled: int, relative: bool) -> Plot | None:
    windows = found.windows
    work = f"/descheduled:{descheduled}" if descheduled else ""
    variants = sorted(
        {
            v
            for subject, w, v in windows.figures
            if subject == "lifo"
            and w.partition("/descheduled")[1:] == work.partition("/descheduled")[1:]
        }
    )
    curves = []
    for variant, style in styles(variants, STYLES).items():
        found_points = list(points(windows, variant, descheduled, relative))
        if found_points:
            curves.append(Curve(NAMES.get(variant, variant), style, found_points))
    if not curves:
        return None
    title = "A stack that threads share: elements pushed and popped a second"
    if relative:
        title = f"A stack that threads share: multiples of {OURS}'s {REFERENCE}"
    if descheduled:
        title += f", 1 owner in {descheduled} descheduled"
    rounds = max(len(point.rounds) for curve in curves for point in curve.points)
    lines = "typical values with 95 % intervals" if rounds > 2 else "too few for intervals"
    return Plot(
        title,
        f"dots: {rounds} round{'s' if rounds > 1 else ''}; lines: {lines}. {where(found)}",
        f"times {REFERENCE}" if relative else "elements a second",
        curves,
        1.0 if relative else None,
    )


def name_of(descheduled: bool, relative: bool) -> str:
    what = "relative" if relative else "absolute"
    return f"stack_{what}{'_descheduled' if descheduled else ''}.svg"


def plots(found: Saved, folder: Path) -> Sequence[Path]:
    """Draw what there are figures for; returns what was written."""
    written = []
    folder.mkdir(parents=True, exist_ok=True)
    for descheduled in (0, DESCHEDULED):
        for relative in (False, True):
            drawn = plot(found, descheduled, relative)
            if drawn is None:
                continue
            path = folder / name_of(bool(descheduled), relative)
            path.write_text(draw(drawn))
            written.append(path)
    return written
