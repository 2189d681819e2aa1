# SPDX-License-Identifier: MIT
"""A report as Markdown, to be pasted into an issue tracker: the tables and the verdicts."""

from __future__ import annotations

from collections.abc import Iterator

from fencepost.pages.markup import markdown as text
from fencepost.pages.markup import markdown_code, markdown_code_cell
from fencepost.report.story import ReportText, run_facts
from fencepost.report.tables import Table
from fencepost.report.words import metric_words, plain

#: What matters of a run where space is short.
_FEW = ("when", "compiler", "flags", "commit", "load when it began", "windows", "order")

_CODE = ("name", "names", "code", "command")


def markdown(told: ReportText) -> str:
    return "\n".join(_lines(told)) + "\n"


def _lines(told: ReportText) -> Iterator[str]:
    yield f"## {text(told.title)}"
    yield ""
    for words in told.notices:
        yield f"> {text(words)}"
        yield ""
    for machine in told.report.machines:
        tables = told.headlines(machine)
        for first in tables:
            if len(tables) > 1:
                yield f"{text(first.caption)}:\n"
            yield from _table(first)
            yield ""
        yield f"Measured on {text(machine.name)}."
        for run in machine.runs:
            facts = run_facts(machine, run)
            few = "; ".join(f"{name}: {facts[name]}" for name in _FEW if name in facts)
            yield f"* {text(few)}"
        yield ""
        for subject in machine.subjects:
            yield f"* **{text(plain(subject.name))}**: {text(told.summary(subject))}"
        several = len(machine.subjects) > 1
        for subject in machine.subjects:
            yield ""
            yield f"### {text(plain(subject.name))}"
            yield ""
            asked = f"{told.question(subject)} {metric_words(subject.metric)}."
            yield text(asked.strip())
            for words in told.warnings(subject):
                yield ""
                yield f"> {text(words)}"
            if several:
                yield "\n<details><summary>Figures</summary>"
            for table in told.tables(subject):
                yield ""
                yield from _table(table)
            for words in told.explanations(subject):
                yield ""
                yield f"{text(words)} {markdown_code(told.command(subject))}"
            if several:
                yield "\n</details>"
        yield ""


def _table(table: Table) -> Iterator[str]:
    header = [text(cell.words) for cell in table.header]
    rows = [[_cell(cell.words, cell.kind) for cell in row.cells] for row in table.rows]
    marks = ["---:" if cell.kind == "number" else "---" for cell in table.header]
    for row in [header, marks, *rows]:
        yield f"| {' | '.join(row)} |"


def _cell(words: str, kind: str) -> str:
    return markdown_code_cell(words) if kind in _CODE else text(words)
