# SPDX-License-Identifier: MIT
"""A counterexample as one HTML page that replays it step by step and needs nothing else.

Without JavaScript, and on paper, the page shows how the execution ends. `replay.js` takes it back
to any step. Steps that the violation does not need are left out; a switch shows them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from fencepost.binary.source_location import Frame, source_lines
from fencepost.execution.explain import explanation
from fencepost.execution.needed import needed_steps
from fencepost.execution.schema import Exploration, ThreadEnd, Violation
from fencepost.execution.steps import Step, steps_of, why_stuck
from fencepost.execution.symbolise import Names
from fencepost.explore.outcome import executions
from fencepost.pages.markup import escape, shown_values
from fencepost.pages.page_assets import asset, beginning
from fencepost.render.graph_style import style_rules
from fencepost.render.graph_svg import draw_steps
from fencepost.render.replay import Replay, replay

#: Lines of source shown around one that a thread comes to.
AROUND = 4


@dataclass(frozen=True)
class _View:
    """The whole execution, or what is needed of it."""

    id: str
    violation: Violation
    steps: list[Step]
    names: Names

    @cached_property
    def table(self) -> Replay:
        return replay(self.violation.execution, self.steps, self.names)

    @cached_property
    def ends(self) -> dict[int, ThreadEnd]:
        return {end.id: end for end in self.violation.execution.threads}

    def thread(self, number: int) -> str:
        return escape(self.names.thread(number))

    @cached_property
    def graph(self) -> str:
        return draw_steps(self.violation, self.steps, self.names, "the graph", mark=f"{self.id}-")

    def widths(self) -> str:
        """The style that says how wide the graph is."""
        width = re.search(r'width="(\d+)"', self.graph)
        return f".view.{self.id} .graph {{ --width: {width[1] if width else 640}px; }}\n"

    def own(self, number: int) -> str:
        """The class of the thread's colour."""
        return f"own{number % 6}"

    def pc(self, step: Step) -> int:
        return self.violation.execution.by_id[step.events[0]].pc

    def end_pc(self, thread: int) -> int:
        end = self.ends.get(thread)
        if end is None or end.state == "finished":
            return 0
        return self.violation.pc if self.violation.fails(end) else end.pc

    def end_mark(self, thread: int) -> str:
        """How the line that the thread ended at is marked."""
        end = self.ends.get(thread)
        return "wrong" if end is not None and self.violation.is_wrong(end) else "here"

    def ending(self, thread: int) -> tuple[str, list[str]]:
        """How the thread was left, and why it stays so."""
        end = self.ends.get(thread)
        if end is None or end.state == "finished":
            return "finished", []
        place = self.names.place(self.end_pc(thread))
        state = "fails" if self.violation.fails(end) else end.state
        reasons = why_stuck(self.violation.execution, end, self.steps, self.names)
        return f"{state}{f' at {place}' if place else ''}", reasons


def page(found: Exploration, names: Names, title: str) -> str:
    """The page's text."""
    violation = found.violation
    assert violation
    steps = steps_of(violation.execution, names)
    less, few = needed_steps(violation, names)
    part = _View(
        "needed",
        replace(violation, execution=less.execution),
        few,
        names,
    )
    whole = _View("everything", violation, steps, names)
    place = names.place(violation.pc)
    script = asset("replay.js")
    views = [part, whole] if len(part.steps) < len(steps) else [part]
    style = "".join([asset("page.css"), asset("replay.css"), *(view.widths() for view in views)])
    parts = [
        beginning(f"{title}: {violation.kind}", style, script, [style_rules()]),
        f'<h1><span class="kind">{escape(violation.kind)}</span> {escape(title)}</h1>',
        f'<p class="message">{escape(names.message(violation.message))}'
        f"{f' <span class=small>({escape(place)})</span>' if place else ''}</p>",
        *_why(part),
        *_switch(
            len(steps), len(part.steps), sum(1 for step in steps if step.events[0] in less.private)
        ),
        *(line for view in views for line in _section(view)),
    ]
    parts += _foot(found)
    parts.append(f"<script>{script}</script>")
    return "\n".join(parts) + "</html>\n"


def _why(view: _View) -> Iterator[str]:
    sentences = explanation(view.violation.execution, view.steps, view.names)
    if sentences:
        yield '<div class="why">'
        yield from (f"<p>{escape(text)}</p>" for text in sentences)
        yield "</div>"


def _switch(total: int, left: int, private: int) -> Iterator[str]:
    gone = total - left
    if not gone:
        return
    reasons = []
    if gone - private:
        reasons.append(f"{_are(gone - private)} after what went wrong or not in its past")
    if private:
        reasons.append(f"{_are(private)} on what a single thread uses")
    yield '<input type="checkbox" id="all"> <label for="all">Show all '
    yield f'{total} steps.</label> <span class="small">The violation does not need {gone} of them: '
    yield f"{', '.join(reasons)}.</span>"


def _are(number: int) -> str:
    return "1 is" if number == 1 else f"{number} are"


def _section(view: _View) -> Iterator[str]:
    yield f'<section class="view {view.id}">'
    if view.steps:
        yield from _bar(view)
    yield '<h2>Sources</h2><div class="threads">'
    for thread in view.violation.execution.thread_ids:
        yield from _sources(view, thread)
    yield '</div><div class="panes"><div><h2>The execution</h2>'
    yield f'<div class="graph" tabindex="0">{view.graph}</div></div><div class="side">'
    yield from _memory(view)
    yield from _ends(view)
    yield "</div></div>"
    yield from _steps(view)
    if view.steps:
        data = json.dumps(shown_values(_data(view)), separators=(",", ":")).replace("<", "\\u003c")
        yield f'<script type="application/json">{data}</script>'
    yield "</section>"


def _bar(view: _View) -> Iterator[str]:
    end = len(view.steps) + 1
    yield '<div class="bar" role="group" aria-label="Replay">'
    for go, sign, label in (("first", "|◀", "first step"), ("previous", "◀", "step back")):
        yield f'<button type="button" data-go="{go}" aria-label="{label}">{sign}</button>'
    yield f'<input type="range" min="1" max="{end}" value="{end}" aria-label="step">'
    for go, sign, label in (("next", "▶", "step forward"), ("last", "▶|", "the end")):
        yield f'<button type="button" data-go="{go}" aria-label="{label}">{sign}</button>'
    yield '<span class="number"></span><output aria-live="polite"></output></div>'


def _line(frame: Frame | None) -> str:
    return f"{frame.file}:{frame.line}" if frame else ""


def _sources(view: _View, thread: int) -> Iterator[str]:
    """The lines that the thread comes to and some around them, each with the steps made there."""
    names = view.names
    at: dict[str, dict[int, list[int]]] = {}
    for step in view.steps:
        frame = names.frame(view.pc(step))
        if step.thread == thread and frame:
            at.setdefault(frame.file, {}).setdefault(frame.line, []).append(step.number)
    end = names.frame(view.end_pc(thread))
    if end:
        at.setdefault(end.file, {}).setdefault(end.line, [])
    state, _ = view.ending(thread)
    yield f'<section class="thread {view.own(thread)}"><h3>{view.thread(thread)}</h3>'
    yield f'<p class="doing">{escape(state)}</p><div class="source code">'
    for file, lines in at.items():
        yield f'<div class="file">{escape(Frame("", file, 1).place.rpartition(":")[0])}</div>'
        previous = 0
        for number, text in _shown_lines(file, set(lines)):
            if number > previous + 1:
                yield '<div class="gap">⋯</div>'
            previous = number
            last = end and (end.file, end.line) == (file, number)
            wrong = f' class="{view.end_mark(thread)}"' if last else ""
            marks = " ".join(
                f'<a href="#{view.id}-{step}" data-step="{step}">{step}</a>'
                for step in lines.get(number, ())
            )
            yield (
                f'<div{wrong} data-line="{escape(file)}:{number}"><span class="steps">{marks}'
                f'</span><span class="line">{number}</span><code>{escape(text)}</code></div>'
            )
    yield "</div></section>"


def _shown_lines(file: str, wanted: set[int]) -> Iterator[tuple[int, str]]:
    for number, text in enumerate(source_lines(file), start=1):
        if any(abs(number - line) <= AROUND for line in wanted):
            yield number, text


def _memory(view: _View) -> Iterator[str]:
    table = view.table
    if table.too_large:
        yield '<p class="small">So many steps use so many objects that memory is not shown.</p>'
    if not table.names:
        return
    yield '<h2>Memory</h2><table class="memory">'
    if table.about_threads:
        yield '<thead><tr><th rowspan="2"></th><th rowspan="2">'
        yield f"{escape(table.about_memory)}</th>"
        yield f'<th colspan="{len(table.threads)}">{escape(table.about_threads)}</th></tr><tr>'
        yield "".join(f"<th>{view.thread(thread)}</th>" for thread in table.threads)
        yield "</tr></thead>"
    yield "<tbody>"
    for row, name in enumerate(table.names):
        cells = table.states[-1][row * table.width : (row + 1) * table.width]
        yield f"<tr><th>{escape(name)}</th><td>{escape(cells[0])}</td>"
        yield "".join(f'<td class="thread-cell">{escape(text)}</td>' for text in cells[1:])
        yield "</tr>"
    yield "</tbody></table>"
    yield "".join(f'<p class="object">{escape(text)}</p>' for text in view.names.objects())


def _ends(view: _View) -> Iterator[str]:
    yield '<h2>In the end</h2><table class="ends">'
    for thread in view.violation.execution.thread_ids:
        state, reasons = view.ending(thread)
        name = f'<td class="{view.own(thread)}">{view.thread(thread)}</td>'
        yield f"<tr>{name}<td>{escape(state)}"
        yield "".join(f'<span class="reason">{escape(text)}</span>' for text in reasons)
        yield "</td></tr>"
    yield "</table>"


def _steps(view: _View) -> Iterator[str]:
    yield '<h2>Step by step</h2><table class="steps-table"><thead><tr><th>step</th><th>thread</th>'
    yield "<th>where</th><th>source</th><th>what happens</th><th></th></tr></thead><tbody>"
    for step in view.steps:
        key = ' class="key"' if step.highlight else ""
        odd = ' class="odd"' if step.missed is not None or step.before is not None else ""
        yield (
            f'<tr{key} id="{view.id}-{step.number}" data-step="{step.number}">'
            f'<td class="number">{step.number}</td>'
            f'<td class="who {view.own(step.thread)}">{view.thread(step.thread)}</td>'
            f"<td>{escape(step.location or '')}</td><td><code>{escape(step.code)}</code></td>"
            f"<td>{escape(step.action)}</td><td{odd}>{escape(step.remark)}</td></tr>"
        )
    yield "</tbody></table>"
    if any(step.highlight for step in view.steps):
        yield '<p class="small">▸ marks where it goes wrong.</p>'


def _data(view: _View) -> dict[str, Any]:
    """What replay.js needs to know of each step."""
    names, threads = view.names, view.violation.execution.thread_ids
    waiting = {"line": "", "doing": "not started yet", "mark": ""}
    now = {thread: dict(waiting) if thread else {**waiting, "doing": ""} for thread in threads}
    steps: list[dict[str, Any]] = []
    held = [""] * len(view.table.states[0])
    for step, cells in zip(view.steps, view.table.states, strict=True):
        remark = f", {step.remark}" if step.remark else ""
        line = _line(names.frame(view.pc(step)))
        doing = f"step {step.number}: {step.action}"
        now[step.thread] = {"line": line, "doing": doing, "mark": "here"}
        steps.append(
            {
                "number": step.number,
                "thread": step.thread,
                "text": f"{names.thread(step.thread)} {step.action}{remark}",
                "memory": [
                    [place, text]
                    for place, (old, text) in enumerate(zip(held, cells, strict=True))
                    if old != text
                ],
                "threads": [dict(now[thread]) for thread in threads],
            }
        )
        held = cells
    at_end = []
    for thread in threads:
        line = _line(names.frame(view.end_pc(thread)))
        at_end.append(
            {"line": line, "doing": view.ending(thread)[0], "mark": view.end_mark(thread)}
        )
    return {
        "threads": threads,
        "steps": steps,
        "threads_at_end": at_end,
        "end": names.message(view.violation.message),
    }


def _foot(found: Exploration) -> Iterator[str]:
    yield '<p class="small keys">Keys: <kbd>←</kbd> <kbd>→</kbd> a step back and forward, '
    yield "<kbd>Home</kbd> the first step, <kbd>End</kbd> the end. "
    yield "A click on a step goes there.</p>"
    seen = found.executions + found.blocked
    which = f"after {executions(seen)}" if seen else "in the first execution"
    yield f'<p class="small">Found {which}, {found.seconds:.2f} s. '
    yield f"Assuming: {escape('; '.join(found.assumptions))}."
    yield "</p>"
