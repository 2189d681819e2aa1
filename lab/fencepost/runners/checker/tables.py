# SPDX-License-Identifier: MIT
"""What the figures say, as tables."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from typing import Any

from fencepost.compare.ratios import Ratio, typical, typical_ratio
from fencepost.report.text_table import table
from fencepost.runners.checker.measure import Figures


def _interval(ratio: Ratio | None) -> str:
    return ratio.words(".3f") if ratio else "—"


def _mean(ratios: Sequence[Ratio]) -> str:
    values = [ratio.value for ratio in ratios]
    return (
        f"geometric mean of {len(values)}: {statistics.geometric_mean(values):.3f}, "
        f"from {min(values):.3f} to {max(values):.3f}"
    )


def _beside(reference: float | None, seconds: float) -> str:
    if reference is None:
        return ""
    if seconds > reference:
        return f"{seconds / reference:.1f} × slower than {reference} s"
    return f"{reference / seconds:.1f} × faster than {reference} s"


def say_figures(figures: Sequence[Figures], recorded: Mapping[str, Any]) -> list[str]:
    """One line a program; CPU time beside what was recorded, both in units of the fixed work."""
    rows = []
    ratios = []
    for own in figures:
        if not own.runs or own.trouble:
            continue
        cpu = typical(own.cpu_seconds)
        assert cpu is not None
        then = recorded.get(own.subject.name, {})
        ratio = typical_ratio(own.relative, then.get("in_units_of_fixed_work", []))
        if ratio:
            ratios.append(ratio)
        rows.append(
            [
                own.subject.name,
                f"{own.runs[0].executions:,}",
                f"{own.runs[0].blocked:,}",
                cpu.words(".3f", " s"),
                f"{own.executions_per_second:,.0f}",
                f"{max(run.peak_kib for run in own.runs) / 1024:.1f} MiB",
                _interval(ratio),
                _beside(own.subject.reference_seconds, cpu.value),
            ]
        )
    head = [
        "program",
        "executions",
        "blocked",
        "CPU [95 %]",
        "a second",
        "peak",
        "to recorded",
        "reference",
    ]
    lines = list(table(head, rows)) if rows else []
    if ratios:
        lines.append(f"CPU time to what was recorded, {_mean(ratios)}")
    return lines


def say_ratios(ours: Sequence[Figures], theirs: Sequence[Figures], name: str) -> list[str]:
    """One line a program: the CPU time here over that of the other checker, measured in turns."""
    rows = []
    ratios = []
    for own, other in zip(ours, theirs, strict=True):
        ratio = None
        if not own.trouble and not other.trouble:
            ratio = typical_ratio(own.cpu_seconds, other.cpu_seconds)
        if ratio is None:
            continue
        ratios.append(ratio)
        rows.append(
            [
                own.subject.name,
                f"{statistics.median(own.cpu_seconds):.3f} s",
                f"{statistics.median(other.cpu_seconds):.3f} s",
                _interval(ratio),
                f"{own.runs[0].blocked:,} / {other.runs[0].blocked:,}",
            ]
        )
    head = ["program", "here", name, "ratio [95 %]", "blocked here / there"]
    lines = list(table(head, rows)) if rows else []
    if ratios:
        lines.append(f"CPU time here over {name}, {_mean(ratios)}")
    return lines


def say_troubles(figures: Mapping[str, Sequence[Figures]]) -> list[str]:
    return [
        f"{own.subject.name} with {name}: {own.trouble}"
        for name, those in figures.items()
        for own in those
        if own.trouble
    ]
