# SPDX-License-Identifier: MIT
"""A report as one HTML page that needs nothing else: no network, no fonts, no other file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fencepost.pages.markup import escape
from fencepost.pages.page_assets import asset, beginning
from fencepost.pages.plot_svg import Panel
from fencepost.report.content import Machine, Subject
from fencepost.report.story import ReportText, told_of_runs
from fencepost.report.tables import Cell, Table
from fencepost.report.words import count, metric_words, plain


def page(told: ReportText) -> str:
    """The page's text."""
    style = "".join(map(asset, ("page.css", "plot.css", "report.css")))
    script = asset("report.js")
    parts = [
        beginning(told.title, style, script),
        f"<h1>{escape(told.title)}</h1>",
        f'<p class="small">{escape(told.from_where)}</p>',
        *_notices(told.notices),
        *_contents(told),
    ]
    for n, machine in enumerate(told.report.machines):
        parts += _machine(told, machine, n)
    parts += _how_to_read(told)
    parts.append(f"<script>{script}</script>")
    return "\n".join(parts) + "</html>\n"


def _notices(notices: Sequence[str]) -> Iterator[str]:
    if notices:
        yield '<div class="told">'
        yield from (f"<p>{escape(words)}</p>" for words in notices)
        yield "</div>"


def _anchor(machine: int, subject: Subject) -> str:
    return f"m{machine}-{subject.name}-{subject.metric.figure}".replace(" ", "_")


def _contents(told: ReportText) -> Iterator[str]:
    yield "<nav><h2>What was found</h2>"
    for n, machine in enumerate(told.report.machines):
        if len(told.report.machines) > 1:
            yield f'<p><a href="#m{n}">{escape(machine.name)}</a></p>'
        for first in told.headlines(machine):
            yield from table_html(first)
        yield "<ul>"
        for subject in machine.subjects:
            link = f'<a href="#{escape(_anchor(n, subject))}">{escape(plain(subject.name))}</a>'
            yield f"<li>{link}: {escape(told.summary(subject))}</li>"
        yield "</ul>"
    yield "</nav>"


def _machine(told: ReportText, machine: Machine, number: int) -> Iterator[str]:
    yield f'<section id="m{number}"><h2>Measured on: {escape(machine.name)}</h2>'
    facts, runs = told_of_runs(machine)
    yield '<dl class="facts">'
    yield from (f"<dt>{escape(k)}</dt><dd>{escape(v)}</dd>" for k, v in facts.items())
    yield "</dl>"
    if runs:
        yield from table_html(runs, "runs")
    yield "</section>"
    for subject in machine.subjects:
        yield from _subject(told, subject, _anchor(number, subject))


def _subject(told: ReportText, subject: Subject, anchor: str) -> Iterator[str]:
    yield f'<section class="subject" id="{escape(anchor)}">'
    yield f"<h2>{escape(plain(subject.name))}</h2>"
    question = told.question(subject)
    if question:
        yield f'<p class="question">{escape(question)}</p>'
    kept, discarded = subject.windows
    yield f'<p class="small">{escape(metric_words(subject.metric))}; {count(kept, "window")} kept, '
    yield f"{discarded} discarded.</p>"
    yield from _notices(told.warnings(subject))
    yield from _figures(told.panels(subject))
    for table in told.tables(subject):
        yield from table_html(table)
    for words in told.explanations(subject):
        yield f'<p class="small">{escape(words)} <code>{escape(told.command(subject))}</code></p>'
    yield "</section>"


def _figures(panels: Sequence[Panel]) -> Iterator[str]:
    yield '<div class="figures">'
    yield from (panel.svg() for panel in panels)
    yield "</div>"


def table_html(table: Table, kind: str = "") -> Iterator[str]:
    """Sorted by a click on a heading, where scripts run."""
    if not table.rows:
        return
    label = f'role="region" aria-label="{escape(table.caption)}"'
    yield f'<div class="{f"table {kind}".strip()}" tabindex="0" {label}>'
    yield f'<table class="sorts"><caption>{escape(table.caption)}</caption><thead><tr>'
    yield "".join(
        f'<th scope="col"{_class(cell.kind)}>{escape(cell.words)}</th>' for cell in table.header
    )
    yield "</tr></thead><tbody>"
    for row in table.rows:
        yield f"<tr{_class(row.kind)}>{''.join(_cell(cell) for cell in row.cells)}</tr>"
    yield "</tbody></table></div>"


def _class(kind: str) -> str:
    return f' class="{kind}"' if kind else ""


def _cell(cell: Cell) -> str:
    value = "" if cell.value is None else f' data-value="{escape(str(cell.value))}"'
    if cell.value is None and cell.kind == "number":
        value = ' data-value=""'
    middle, bracket, interval = cell.words.partition(" [")
    words = escape(middle)
    if bracket and cell.kind == "number":
        words += f' <span class="interval">[{escape(interval)}</span>'
    elif bracket:
        words = escape(cell.words)
    return f"<td{_class(cell.kind)}{value}>{words}</td>"


def _how_to_read(told: ReportText) -> Iterator[str]:
    yield '<section><h2>How to read this</h2><dl class="facts">'
    yield from (f"<dt>{escape(k)}</dt><dd>{escape(v)}</dd>" for k, v in told.reading().items())
    yield "</dl></section>"
