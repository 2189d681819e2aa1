# SPDX-License-Identifier: MIT
"""The tables of a report as rows of cells, from which both the page and the Markdown are made."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from fencepost.compare.text import ratio_text
from fencepost.measure.groups import groups_of, title
from fencepost.report import headlines
from fencepost.report.content import Machine, Subject, Variant
from fencepost.report.figures import best_first, interval_words
from fencepost.report.targets import Judged
from fencepost.report.words import digits, plain, said, scale_of, spans_units, work_words
from fencepost.results.schema import Metric


@dataclass(frozen=True)
class Cell:
    """What stands there, what it is sorted by, and how it looks."""

    words: str
    value: float | str | None = None
    kind: str = ""


@dataclass(frozen=True)
class Row:
    cells: tuple[Cell, ...]
    kind: str = ""


@dataclass(frozen=True)
class Table:
    caption: str
    #: Of each column: its name and what it looks like.
    header: tuple[Cell, ...]
    rows: tuple[Row, ...]


def headlines_tables(machine: Machine) -> list[Table]:
    """The lines with which `fencepost bench` ends: a table of all runs that belong together."""
    groups = [
        (group, rows)
        for group in groups_of(machine.measured)
        if (rows := headlines.of_windows(group.windows))
    ]
    found = []
    for group, rows in groups:
        caption = headlines.CAPTION + (f"; {title(group)}" if len(groups) > 1 else "")
        header = tuple(map(Cell, headlines.HEADER))
        found.append(Table(caption, header, tuple(Row(tuple(map(Cell, row))) for row in rows)))
    return found


def variants_table(subject: Subject) -> Table:
    """Every variant in every work, the best first."""
    has_works = len({work.name for work in subject.works}) > 1 or subject.works[0].name != ""
    extra = _told_besides(subject)
    has_comparisons = any(
        v.comparison or v.not_compared for work in subject.works for v in work.variants
    )
    header = [Cell("work")] if has_works else []
    header += [Cell("variant"), Cell(plain(subject.metric.figure), kind="number")]
    if has_comparisons:
        header += [Cell("× reference", kind="number"), Cell("verdict")]
    header += [Cell(_heading(metric), kind="number") for metric in extra]
    header.append(Cell("windows", kind="number"))
    rows = []
    for work in subject.works:
        measured = [one.estimate.value for one in work.variants if one.estimate]
        together = None if spans_units(measured) else scale_of(measured, subject.metric.unit)
        for variant in best_first(work, subject.metric):
            cells = [Cell(work_words(work.name), kind="work")] if has_works else []
            cells.append(Cell(variant.name, kind="name"))
            one = variant.estimate
            scale = together or scale_of([one.value] if one else [], subject.metric.unit)
            words = interval_words(one, scale, unit=True) if one else "—"
            cells.append(Cell(words, one.value if one else None, "number"))
            is_reference = variant.name == subject.reference
            if has_comparisons:
                cells += _verdict_cells(variant, is_reference)
            cells += [_other(variant, metric) for metric in extra]
            cells.append(_windows(variant))
            rows.append(Row(tuple(cells), "reference" if is_reference else ""))
    caption = f"{plain(subject.metric.figure)}: where its windows lie, with the 95 % interval"
    if has_comparisons:
        caption += f"; reference: {subject.reference}"
    return Table(caption, tuple(header), tuple(rows))


def _told_besides(subject: Subject) -> list[Metric]:
    """The further metrics that anything has."""
    there = {name for work in subject.works for v in work.variants for name in v.others}
    return [metric for metric in subject.metrics[1:] if metric.figure in there]


def _heading(metric: Metric) -> str:
    """The unit stands here, for the figures of this column need not be scaled."""
    return plain(metric.figure) + (f", {metric.unit}" if metric.unit else "")


def _verdict_cells(variant: Variant, is_reference: bool) -> list[Cell]:
    if variant.comparison is None:
        why = "reference" if is_reference else variant.not_compared
        return [Cell("", kind="number"), Cell(why, kind="verdict")]
    verdict = said(variant.comparison)
    return [
        Cell(ratio_text(variant.comparison), variant.comparison.effect, "number"),
        Cell(f"{verdict.mark} {verdict.words}", verdict.words, f"verdict {verdict.kind}"),
    ]


def _other(variant: Variant, metric: Metric) -> Cell:
    one = variant.others.get(metric.figure)
    if one is None:
        return Cell("", kind="number")
    return Cell(interval_words(one, scale_of([], "")), one.value, "number")


def _windows(variant: Variant) -> Cell:
    words = f"{len(variant.windows)}"
    if variant.discarded:
        words += f" (+{variant.discarded} discarded)"
    return Cell(words, float(len(variant.windows)), "number")


def targets_table(targets: Sequence[Judged]) -> Table:
    marks = {"met": "✓", "missed": "✗", "not known": "?"}
    kinds = {"met": "met", "missed": "missed", "not known": "open"}
    header = (
        Cell("work"),
        Cell("ours"),
        Cell("target"),
        Cell("measured", kind="number"),
        Cell("met?"),
    )
    rows = tuple(
        Row(
            (
                Cell(one.what, kind="work"),
                Cell(one.target.ours, kind="name"),
                Cell(one.wanted),
                Cell(_measured(one), _value(one), "number"),
                Cell(
                    f"{marks[one.verdict]} {one.verdict}",
                    one.verdict,
                    f"verdict {kinds[one.verdict]}",
                ),
            )
        )
        for one in targets
    )
    return Table("targets, each judged by itself, as fencepost bench does", header, rows)


def _measured(one: Judged) -> str:
    found = one.measured
    unit = " ×" if one.target.peer else ""
    if found.interval is None or found.is_open:
        return found.words(unit=unit)
    middle, low, high = (
        digits(value, found.spread) for value in (found.value, found.low, found.high)
    )
    return f"{middle}{unit} [{low}, {high}]"


def _value(one: Judged) -> float | None:
    return one.measured.value if math.isfinite(one.measured.value) else None
