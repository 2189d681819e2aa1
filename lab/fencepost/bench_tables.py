# SPDX-License-Identifier: MIT
"""What the windows say: ours beside each peer, and beside the targets."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from fencepost.bench_ratios import ratio_of_medians
from fencepost.bench_results import Windows
from fencepost.bench_subjects import SUBJECTS, Subject
from fencepost.bench_targets import TARGETS, Target


def plain(name: str) -> str:
    return name.replace("_", " ").replace("/", ", ").replace("threads:", "threads ")


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    widths = [max(len(row[n]) for row in [header, *rows]) for n in range(len(header))]
    for row in [header, ["-" * width for width in widths], *rows]:
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        yield "| " + " | ".join(cells) + " |"


def figures_of(windows: Windows, target: Target, variant: str, figure: str) -> list[float]:
    """Round by round, less what the variant that is meant to be taken off did in the round."""
    whole = windows.values(target.subject, target.work, variant, figure)
    if target.beyond is None:
        return whole
    base = windows.values(target.subject, target.work, target.beyond, figure)
    return [one - less for one, less in zip(whole, base, strict=False)]


def target_rows(
    windows: Windows,
    targets: Iterable[Target] = TARGETS,
    subjects: Mapping[str, Subject] = SUBJECTS,
    work_name: Callable[[str], str] = plain,
) -> list[list[str]]:
    rows = []
    for target in targets:
        subject = subjects[target.subject]
        figure = target.figure or subject.figure
        ours = figures_of(windows, target, target.ours, figure)
        peer = None
        if target.peer is not None:
            peer = figures_of(windows, target, target.peer, figure)
        ratio = ratio_of_medians(ours, peer)
        if ratio is None:
            continue
        at_least = target.at_least
        sign = "≥" if at_least else "≤"
        what = "" if target.figure is None else f": {plain(figure)}"
        if target.beyond is not None:
            what = f": beyond {plain(target.beyond)}"
        unit = " ×" if peer is not None else ""
        rows.append(
            [
                work_name(target.work) + what,
                plain(target.ours),
                plain(target.peer) if target.peer else "—",
                f"{ratio.value:.3g}{unit} [{ratio.low:.3g}, {ratio.high:.3g}]",
                f"{sign} {target.bound:g}{unit}",
                ratio.verdict(target.bound, at_least),
            ]
        )
    return rows


def variant_rows(windows: Windows, subjects: Mapping[str, Subject] = SUBJECTS) -> list[list[str]]:
    rows = []
    for (subject_name, work, variant), rounds in windows.figures.items():
        subject = subjects[subject_name]
        middle = ratio_of_medians(windows.values(subject_name, work, variant, subject.figure), None)
        if middle is None:
            continue
        scale, unit = (1e6, "M " + subject.unit) if middle.value > 1e6 else (1.0, subject.unit)
        extras = []
        for figure in ("fairness", "cpu_ns_per_wake"):
            values = windows.values(subject_name, work, variant, figure)
            if values:
                extras.append(f"{plain(figure)} {statistics.median(values):.3g}")
        rows.append(
            [
                plain(work),
                plain(variant),
                f"{middle.value / scale:.4g} {unit}",
                f"[{middle.low / scale:.4g}, {middle.high / scale:.4g}]",
                str(len(rounds)),
                ", ".join(extras),
            ]
        )
    return rows


def print_tables(windows: Windows, everything: bool) -> None:
    targets = target_rows(windows)
    if targets:
        header = ("work", "ours", "peer", "ratio [95 % interval]", "target", "met?")
        print("\n".join(table(header, targets)))
        print()
    if everything or not targets:
        header = ("work", "variant", "median", "95 % interval", "windows", "also")
        print("\n".join(table(header, variant_rows(windows))))
        print()
    kept = sum(len(rounds) for rounds in windows.figures.values())
    print(f"{kept} windows kept, {windows.discarded} discarded and repeated because others "
          "used the processors")  # fmt: skip
