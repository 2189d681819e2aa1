# SPDX-License-Identifier: MIT
"""The two figures of J. Gustedt's description, from our windows: what each lock gets done on the
stack by the number of threads, and the same as multiples of the pthread mutex; once more with
owners that are descheduled."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from fencepost.compare.posterior import FEWEST_ROUNDS
from fencepost.compare.ratios import Ratio, ratio_by_round, typical
from fencepost.measure.results import Windows
from fencepost.pages.page_assets import asset
from fencepost.pages.plot_axes import axis, measured_axis
from fencepost.pages.plot_svg import Line, Panel, Point, lines, sheet
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
from fencepost.system.whole_file import write_whole

#: Those that are known look the same in every figure.
KNOWN = (
    "mutex",
    "compare_exchange_spin",
    "futex_mutex",
    "musl_lock",
    "published_futex",
    "instruction",
    "mtx",
    REFERENCE,
    "bare_pthread_mutex",
    "flag_spin",
    "instruction_called",
    SYSTEM,
)
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
            yield Point(threads, rounds, middle.value, *(middle.interval or (None, None)))


def where(found: Saved) -> str:
    """The machine that the figures are from."""
    run = found.runs[-1] if found.runs else {}
    return f"{run.get('machine', 'unknown machine')}, {run.get('processors', '?')} processors"


def variants(found: Saved, descheduled: int) -> list[str]:
    """Those that are known first."""
    works = {work_name("stack", threads, descheduled) for threads in STACK_THREADS}
    there = {v for subject, work, v in found.windows.figures if subject == "lifo" and work in works}
    return [v for v in KNOWN if v in there] + sorted(there - set(KNOWN))


def panel(found: Saved, descheduled: int, relative: bool) -> Panel | None:
    curves = []
    for n, variant in enumerate(variants(found, descheduled)):
        hue = KNOWN.index(variant) if variant in KNOWN else len(KNOWN) + n
        of = list(points(found.windows, variant, descheduled, relative))
        if of:
            curves.append(Line(NAMES.get(variant, variant), hue, of))
    if not curves:
        return None
    all_points = [point for curve in curves for point in curve.points]
    # Nothing done at all has no place on a logarithmic axis: it lies on its lower end.
    values = [v for point in all_points for v in (*point.dots, point.middle) if v > 0]
    title = f"multiples of {OURS}'s {REFERENCE}" if relative else "elements a second"
    across = measured_axis([point.place for point in all_points], "threads")
    return lines(title, curves, across, axis(values, title))


def figure(found: Saved, descheduled: int) -> str | None:
    panels = [panel(found, descheduled, relative) for relative in (False, True)]
    drawn = [one for one in panels if one is not None]
    if not drawn:
        return None
    title = "A stack that threads share: elements pushed and popped"
    if descheduled:
        title += f", 1 owner in {descheduled} descheduled"
    rounds = max(
        len(windows)
        for (subject, work, _), windows in found.windows.figures.items()
        if subject == "lifo" and ("descheduled" in work) == bool(descheduled)
    )
    said = (
        "typical values with 95 % intervals" if rounds >= FEWEST_ROUNDS else "too few for intervals"
    )
    source = f"Dots: {rounds} round{'s' if rounds > 1 else ''}; lines: {said}. {where(found)}"
    return sheet(drawn, asset("plot.css"), title, source)


def name_of(descheduled: bool) -> str:
    return f"stack{'_descheduled' if descheduled else ''}.svg"


def plots(found: Saved, folder: Path) -> Sequence[Path]:
    """Draw what there are figures for; returns what was written."""
    written = []
    for descheduled in (0, DESCHEDULED):
        drawn = figure(found, descheduled)
        if drawn is None:
            continue
        path = folder / name_of(bool(descheduled))
        write_whole(path, drawn)
        written.append(path)
    return written
