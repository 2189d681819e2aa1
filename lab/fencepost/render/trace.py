# SPDX-License-Identifier: MIT
"""A counterexample as text: a numbered step a row, a lane for each thread, the source beside it."""

from __future__ import annotations

from dataclasses import dataclass

from fencepost.console.shown import OWN
from fencepost.console.terminal import wrapped
from fencepost.execution.schema import Violation
from fencepost.execution.steps import Step, steps_of, why_stuck
from fencepost.execution.symbolise import Names

LANE_COLOURS = (36, 33, 35, 32, 34, 31)
SOURCE_WIDTH = 46


@dataclass(frozen=True)
class Paint:
    """Colours for a terminal, or none."""

    on: bool = False

    def __call__(self, text: str, *codes: int) -> str:
        if not self.on or not text:
            return text
        return f"{OWN}[{';'.join(map(str, codes))}m{text}{OWN}[0m"


def _clipped(text: str, width: int) -> str:
    return text if len(text) <= width else text[: width - 1] + "…"


def _lanes(step: Step, threads: list[int], names: Names, paint: Paint, live: set[int]) -> str:
    cells = []
    for place, thread in enumerate(threads):
        width = len(names.thread(thread)) + 1
        mark = "●" if thread == step.thread else "│" if thread in live else " "
        colour = LANE_COLOURS[place % len(LANE_COLOURS)]
        cells.append(paint(mark.center(width), colour, 1) if mark == "●" else mark.center(width))
    return " ".join(cells)


def _span(steps: list[Step], thread: int) -> tuple[int, int]:
    own = [step.number for step in steps if step.thread == thread]
    return (min(own), max(own)) if own else (1, 0)


def _place_column(steps: list[Step]) -> tuple[str, dict[int, str]]:
    """Where all steps are of one file its name stands in the heading alone."""
    files = {step.location.rpartition(":")[0] for step in steps if step.location}
    if len(files) == 1:
        (file,) = files
        return file, {s.number: (s.location or "").rpartition(":")[2] for s in steps}
    return "source", {step.number: step.location or "" for step in steps}


class _Table:
    """A row a step, as wide as it wants to be, or on so many columns."""

    def __init__(
        self, violation: Violation, steps: list[Step], names: Names, width: int | None
    ) -> None:
        self._names = names
        self._threads = violation.execution.thread_ids
        self._lane_names = " ".join(
            names.thread(thread).center(len(names.thread(thread)) + 1) for thread in self._threads
        )
        self._spans = {thread: _span(steps, thread) for thread in self._threads}
        self._heading, self._places = _place_column(steps)
        self._place = max([len(text) for text in self._places.values()] + [4])
        self._source = min(max([len(step.code) for step in steps] + [6]), SOURCE_WIDTH)
        self._action = min(max([len(step.action) for step in steps] + [12]), 60)
        self._told: int | None = None
        if width is not None:
            # What is left beside the lanes: of the source some is cut, what happens is wrapped.
            left = width - self._before_source() - 2
            self._source = max(min(self._source, left * 2 // 5), 6)
            self._told = max(left - self._source, 20)

    def _before_source(self) -> int:
        return len(f" step  {self._lane_names}  ") + self._place + 2

    def title(self) -> str:
        code = self._place + 2 + self._source
        heading = self._heading  # a path, of which the end says more
        heading = heading if len(heading) <= code else f"…{heading[1 - code :]}"
        heading = heading.ljust(code)
        return f" step  {self._lane_names}  {heading}  what happens".rstrip()

    def row(self, step: Step, paint: Paint) -> list[str]:
        live = {t for t, (first, last) in self._spans.items() if first <= step.number <= last}
        flag = paint(">", 1, 31) if step.highlight else " "
        lanes = _lanes(step, self._threads, self._names, paint, live)
        place = paint(self._places[step.number].rjust(self._place), 2)
        source = _clipped(step.code, self._source).ljust(self._source)
        first, *more = self._what_happens(step, paint)
        margin = " " * (self._before_source() + self._source + 2)
        lines = [f"{flag}{step.number:4}  {lanes}  {place}  {source}  {first}"]
        return [line.rstrip() for line in (*lines, *(margin + part for part in more))]

    def _what_happens(self, step: Step, paint: Paint) -> list[str]:
        colour = 33 if step.missed or step.before else 2
        action = step.action.ljust(self._action) if step.remark else step.action
        whole = f"{action}  {step.remark}".rstrip()
        if self._told is None or len(whole) <= self._told:
            return [f"{action}  {paint(step.remark, colour)}"]
        remark = wrapped(step.remark, self._told, "  ") if step.remark else []
        return [*wrapped(step.action, self._told, "  "), *(paint(part, colour) for part in remark)]


def trace_lines(
    violation: Violation, names: Names, paint: Paint = Paint(), width: int | None = None
) -> list[str]:
    """The whole counterexample, ready to print, on so many columns."""
    steps = steps_of(violation.execution, names)
    table = _Table(violation, steps, names, width)
    lines = [paint(table.title(), 1)]
    for step in steps:
        lines += table.row(step, paint)
    if any(step.highlight for step in steps):
        lines.append(f"{paint('>', 1, 31)} marks where it goes wrong")
    for text in names.objects():
        lines += wrapped(f"  {text}", width)
    return lines + _endings(violation, steps, names, paint, width)


def _endings(
    violation: Violation, steps: list[Step], names: Names, paint: Paint, columns: int | None
) -> list[str]:
    execution = violation.execution
    if not execution.threads:
        return []
    lines = ["", paint(" in the end", 1)]
    width = max(len(names.thread(end.id)) for end in execution.threads)
    for end in execution.threads:
        name = names.thread(end.id).ljust(width)
        if end.state == "finished":
            lines.append(f"  {name}  finished")
            continue
        failed = violation.fails(end)
        pc = violation.pc if failed else end.pc
        place, source = names.place(pc), names.source(pc)
        state = "fails" if failed else end.state
        state = paint(state, 1, 31) if violation.is_wrong(end) else state
        at = f" at {place}" if place else ""
        room = 60 if columns is None else columns - len(f"  {name}  {end.state}{at}   ")
        code = f"   {paint(_clipped(source, min(room, 60)), 2)}" if source and room > 12 else ""
        lines.append(f"  {name}  {state}{at}{code}")
        margin = f"  {' ' * width}  "
        for reason in why_stuck(execution, end, steps, names):
            lines += wrapped(margin + reason, columns, margin + "  ")
    return lines
