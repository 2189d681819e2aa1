# SPDX-License-Identifier: MIT
"""A report as Markdown, to be pasted into an issue tracker: the tables and the verdicts."""

from __future__ import annotations

from collections.abc import Iterator

from fencepost.report_story import Told, run_facts
from fencepost.report_tables import Table
from fencepost.report_words import metric_words, plain

#: What matters of a run where space is short.
_FEW = ("when", "compiler", "flags", "commit", "load when it began", "windows", "order")

_CODE = ("name", "names", "code", "command")


def markdown(told: Told) -> str:
    return "\n".join(_lines(told)) + "\n"


def _lines(told: Told) -> Iterator[str]:
    yield f"## {escaped(told.title)}"
    yield ""
    for words in told.notices:
        yield f"> {escaped(words)}"
        yield ""
    for machine in told.report.machines:
        yield f"Measured on {escaped(machine.name)}."
        for run in machine.runs:
            facts = run_facts(machine, run)
            few = "; ".join(f"{name}: {facts[name]}" for name in _FEW if name in facts)
            yield f"* {escaped(few)}"
        yield ""
        for subject in machine.subjects:
            yield f"* **{escaped(plain(subject.name))}**: {escaped(told.summary(subject))}"
        several = len(machine.subjects) > 1
        for subject in machine.subjects:
            yield ""
            yield f"### {escaped(plain(subject.name))}"
            yield ""
            asked = f"{told.question(subject)} {metric_words(subject.metric)}."
            yield escaped(asked.strip())
            for words in told.warnings(subject):
                yield ""
                yield f"> {escaped(words)}"
            if several:
                yield "\n<details><summary>Figures</summary>"
            for table in told.tables(subject):
                yield ""
                yield from _table(table)
            for words in told.explanations(subject):
                yield ""
                yield f"{escaped(words)} `{told.command(subject)}`"
            if several:
                yield "\n</details>"
        yield ""


def _table(table: Table) -> Iterator[str]:
    header = [escaped(cell.words) for cell in table.header]
    rows = [[_cell(cell.words, cell.kind) for cell in row.cells] for row in table.rows]
    marks = ["---:" if cell.kind == "number" else "---" for cell in table.header]
    for row in [header, marks, *rows]:
        yield f"| {' | '.join(row)} |"


def _cell(words: str, kind: str) -> str:
    return f"`{words.replace('|', '&#124;')}`" if kind in _CODE and words else escaped(words)


def escaped(words: str) -> str:
    """Nothing in it is a sign of Markdown's or HTML's."""
    for sign in "\\`*_#|<>[]":
        words = words.replace(sign, f"\\{sign}")
    return words.replace("\n", " ")
