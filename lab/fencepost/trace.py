# SPDX-License-Identifier: MIT
"""A counterexample as text: a numbered step a row, a lane for each thread, the source beside it."""

from __future__ import annotations

from dataclasses import dataclass

from fencepost.execution import Violation
from fencepost.shown import OWN
from fencepost.steps import Step, steps_of, why_stuck
from fencepost.symbolise import Names

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


def trace_lines(violation: Violation, names: Names, paint: Paint = Paint()) -> list[str]:
    """The whole counterexample, ready to print."""
    execution = violation.execution
    steps = steps_of(execution, names)
    threads = execution.thread_ids
    heading, places = _place_column(steps)
    place_width = max([len(text) for text in places.values()] + [4])
    source_width = min(max([len(step.code) for step in steps] + [6]), SOURCE_WIDTH)
    action_width = min(max([len(step.action) for step in steps] + [12]), 60)
    lane_names = " ".join(
        names.thread(thread).center(len(names.thread(thread)) + 1) for thread in threads
    )
    code_width = place_width + 2 + source_width

    title = f" step  {lane_names}  {_clipped(heading, code_width).ljust(code_width)}  what happens"
    lines = [paint(title.rstrip(), 1)]
    spans = {thread: _span(steps, thread) for thread in threads}
    for step in steps:
        live = {t for t, (first, last) in spans.items() if first <= step.number <= last}
        flag = paint(">", 1, 31) if step.highlight else " "
        lanes = _lanes(step, threads, names, paint, live)
        place = places[step.number].rjust(place_width)
        source = _clipped(step.code, source_width).ljust(source_width)
        action = step.action.ljust(action_width) if step.remark else step.action
        remark = paint(step.remark, 33) if step.missed or step.before else paint(step.remark, 2)
        text = f"{flag}{step.number:4}  {lanes}  {paint(place, 2)}  {source}  {action}  {remark}"
        lines.append(text.rstrip())
    if any(step.highlight for step in steps):
        lines.append(f"{paint('>', 1, 31)} marks where it goes wrong")
    lines += _endings(violation, steps, names, paint)
    return lines


def _endings(violation: Violation, steps: list[Step], names: Names, paint: Paint) -> list[str]:
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
        code = f"   {paint(_clipped(source, 60), 2)}" if source else ""
        lines.append(f"  {name}  {state}{at}{code}")
        reasons = why_stuck(execution, end, steps, names)
        lines += [f"  {' ' * width}  {reason}" for reason in reasons]
    return lines
