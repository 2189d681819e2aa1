# SPDX-License-Identifier: MIT
"""A counterexample as a self-contained SVG: threads are columns, steps are rows, one box a row.

Because each row holds a single box, an arrow can leave its box sideways into the gutter between
two columns, run along a lane of its own to the row it is bound for, and enter the box there without
ever crossing another box or lying on another arrow.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from html import escape
from itertools import pairwise

from fencepost.execution import EventId, Execution, Violation
from fencepost.steps import Step, steps_of, why_stuck
from fencepost.symbolise import Names

FONT = "ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace"
ADVANCE = 7.3  # width of a character at 12 px, rounded up
SMALL_ADVANCE = 6.7  # at 11 px
BOX_HEIGHT = 46
ROW_HEIGHT = 66
PORT_GAP = 11
LANE_GAP = 12
PAD = 34  # between a box and the first lane: room for an arrow's head and label
TEXT_LIMIT = 48
NAME_KEEPS = 12  # characters of an object's name that are never cut
MARGIN = 24
HEAD = 96

COLOURS = {"rf": "#1a7f37", "mo": "#0b57d0", "fr": "#c5221f", "sync": "#70757a", "race": "#c5221f"}

#: What else is coloured, by name. A page around the graph may define a variable of any of these
#: names to have another colour: for a dark background, say.
SHADES = {
    "text": "#202124",
    "quiet": "#5f6368",
    "line": "#9aa0a6",
    "paper": "#ffffff",
    "box": "#f8f9fa",
    "key": "#fff4f2",
    "wrong": "#c5221f",
}
MEANINGS = {
    "po": "program order",
    "rf": "reads from: the write a read takes its value from",
    "mo": "modification order of one location",
    "fr": "the read comes before this newer write",
    "sync": "starts or joins a thread, or meets it at a barrier",
    "race": "nothing orders these two",
}

#: Operations on mutexes and sleepers whose source another thread's step is.
HAND_OVERS = (
    "mutex-lock",
    "mutex-trylock",
    "spin-lock",
    "spin-trylock",
    "rwlock-read",
    "rwlock-tryread",
    "rwlock-write",
    "rwlock-trywrite",
    "semaphore-wait",
    "semaphore-trywait",
    "futex-woken",
    "cond-woken",
)


@dataclass(frozen=True)
class Edge:
    kind: str
    source: int  # step numbers
    target: int
    strong: bool


@dataclass
class Route:
    edge: Edge
    leaves_right: bool
    enters_left: bool
    gutter: int
    lane: int = 0
    leave_y: float = 0.0
    enter_y: float = 0.0


def _clipped(text: str, limit: int = TEXT_LIMIT) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"


def _edges(execution: Execution, steps: list[Step]) -> Iterator[Edge]:
    number = {event: step.number for step in steps for event in step.events}
    by_number = {step.number: step for step in steps}

    def edge(kind: str, source: EventId, target: EventId) -> Iterator[Edge]:
        first, last = number.get(source), number.get(target)
        if first is None or last is None or first == last:
            return
        strong = by_number[first].highlight and by_number[last].highlight
        # Within a thread the column already says it, unless the thread is at odds with itself.
        if by_number[first].thread != by_number[last].thread or (strong and first > last):
            yield Edge(kind, first, last, strong)

    for event in execution.in_steps:
        shows_source = event.is_atomic or event.what in HAND_OVERS
        for source in event.writes_read if event.is_read and shows_source else ():
            yield from edge("rf", source, event.id)
        # What follows the write of a read-modify-write says nothing about its read.
        if event.is_read and event.is_atomic and execution.written_by(event) is None:
            for newer in execution.newer_than(event)[:1]:
                yield from edge("fr", event.id, newer.id)
        if event.kind == "create":
            first = next((s for s in steps if s.thread == event.value), None)
            if first:
                yield from edge("sync", event.id, first.events[0])
        if event.is_tie and event.reads_from is not None:
            yield from edge("sync", event.reads_from, event.id)
        elif event.joins_thread:
            last = next((s for s in reversed(steps) if s.thread == event.value), None)
            if last:
                yield from edge("sync", last.events[0], event.id)
    if execution.clashing:
        other, noticed = execution.clashing
        yield from edge("race", other.id, noticed.id)
    for (kind, _), order in execution.modification_order.items():
        shown = [event for event in order if event in number] if kind == "atomic" else []
        for earlier, later in pairwise(shown):
            if _reads_directly(execution, later, earlier):
                continue  # a read-modify-write follows what it read: rf says it already
            yield from edge("mo", earlier, later)


def _reads_directly(execution: Execution, write: EventId, source: EventId) -> bool:
    read = execution.by_id.get((write[0], write[1] - 1))
    return bool(
        read and source in read.writes_read and execution.written_by(read) is execution.by_id[write]
    )


@dataclass
class _Layout:
    """Where everything stands. Columns are threads; gutter g lies to the left of column g."""

    threads: list[int]
    left: list[float]
    width: list[float]
    gutter_left: list[float]
    total: float

    def column(self, thread: int) -> int:
        return self.threads.index(thread)


def _routes(edges: list[Edge], column: dict[int, int]) -> list[Route]:
    routes = []
    for edge in edges:
        source, target = column[edge.source], column[edge.target]
        if source < target:
            routes.append(Route(edge, True, True, source + 1))
        elif source > target:
            routes.append(Route(edge, False, False, source))
        else:
            routes.append(Route(edge, True, False, source + 1))
    return routes


@dataclass(frozen=True)
class _Rows:
    """Where the row of each step is. Steps may be left out, so numbers are no places."""

    numbers: list[int]
    head: float

    @cached_property
    def _place(self) -> dict[int, int]:
        return {number: place for place, number in enumerate(self.numbers)}

    def y(self, number: int) -> float:
        return self.head + self._place[number] * ROW_HEIGHT

    @property
    def bottom(self) -> float:
        return self.head + len(self.numbers) * ROW_HEIGHT


def _assign_ports(routes: list[Route], rows: _Rows) -> None:
    """Spreads the arrows at one side of a box over its height, those bound upwards first."""
    sides: dict[tuple[int, bool], list[tuple[int, Route, bool]]] = defaultdict(list)
    for route in routes:
        edge = route.edge
        sides[edge.source, route.leaves_right].append((edge.target, route, True))
        sides[edge.target, not route.enters_left].append((edge.source, route, False))
    for (number, _), ports in sides.items():
        ports.sort(key=lambda port: (port[0], port[2]))
        gap = min(PORT_GAP, (BOX_HEIGHT - 8) / max(len(ports) - 1, 1))
        top = rows.y(number) + BOX_HEIGHT / 2 - gap * (len(ports) - 1) / 2
        for place, (_, route, leaving) in enumerate(ports):
            if leaving:
                route.leave_y = top + gap * place
            else:
                route.enter_y = top + gap * place


def _assign_lanes(routes: list[Route], gutters: int) -> list[int]:
    """Gives each arrow the first lane of its gutter that is free along its way."""
    counts = [0] * gutters
    for gutter in range(gutters):
        lanes: list[list[tuple[float, float]]] = []
        inside = [route for route in routes if route.gutter == gutter]
        for route in sorted(inside, key=lambda r: abs(r.leave_y - r.enter_y)):
            low, high = sorted((route.leave_y, route.enter_y))
            for place, taken in enumerate(lanes):
                if all(high + 15 < start or end + 15 < low for start, end in taken):
                    route.lane = place
                    taken.append((low, high))
                    break
            else:
                route.lane = len(lanes)
                lanes.append([(low, high)])
        counts[gutter] = len(lanes)
    return counts


def _place_text(step: Step) -> str:
    where = f"{step.location}  " if step.location else ""
    return _clipped(where.rpartition("/")[2] + step.code, TEXT_LIMIT + 4)


def _layout(
    threads: list[int],
    steps: list[Step],
    lanes: list[int],
    minimum: dict[int, float],
) -> _Layout:
    left, width, gutter_left = [], [], []
    x = float(MARGIN)
    for place, thread in enumerate(threads):
        gutter_left.append(x)
        outer = place == 0
        x += lanes[place] * LANE_GAP + (PAD if lanes[place] or not outer else 0)
        x += 0 if outer else PAD
        own = [step for step in steps if step.thread == thread]
        widest = max(
            [len(_title(s)) * ADVANCE for s in own]
            + [len(_place_text(s)) * SMALL_ADVANCE for s in own]
            + [minimum.get(thread, 0.0), 90.0]
        )
        left.append(x)
        width.append(widest + 20)
        x += widest + 20
    gutter_left.append(x)
    last = lanes[len(threads)]
    x += last * LANE_GAP + PAD if last else 0
    return _Layout(threads, left, width, gutter_left, x + MARGIN)


def _title(step: Step) -> str:
    """The step in one line. What is too long loses the front of the object's name; what then still
    is widens the box if a memory order stands at its end, which is what a reader looks for."""
    text = f"{step.number}  {step.action}".replace("compare-exchange fails", "cas fails")
    excess = len(text) - TEXT_LIMIT
    if excess > 0 and step.object:
        shorter = _tail(step.object, len(step.object) - excess)
        text = text.replace(f" {step.object}", f" {shorter}", 1)
    return text if text.endswith(")") else _clipped(text)


def _tail(name: str, room: int) -> str:
    """The end of a name, by whole members if the last of them has room."""
    room = max(room, NAME_KEEPS + 1)
    if len(name) <= room:
        return name
    end = name[len(name) - room + 1 :]
    member = end.find(".")
    return "…" + (end[member:] if 0 <= member < len(end) - 1 else end)


def _lane_x(layout: _Layout, route: Route) -> float:
    start = layout.gutter_left[route.gutter] + (PAD if route.gutter > 0 else 0)
    return start + LANE_GAP * (route.lane + 0.5)


def _path(layout: _Layout, route: Route, column: dict[int, int]) -> str:
    source, target = column[route.edge.source], column[route.edge.target]
    x1 = layout.left[source] + (layout.width[source] if route.leaves_right else 0)
    x2 = layout.left[target] + (0 if route.enters_left else layout.width[target])
    lane = _lane_x(layout, route)
    y1, y2 = route.leave_y, route.enter_y
    if abs(y2 - y1) < 1:
        return f"M{x1:.1f},{y1:.1f} H{x2:.1f}"
    radius = min(5.0, abs(y2 - y1) / 2)
    down = 1 if y2 > y1 else -1
    to_lane = 1 if lane > x1 else -1
    from_lane = 1 if x2 > lane else -1
    return (
        f"M{x1:.1f},{y1:.1f} H{lane - to_lane * radius:.1f} "
        f"Q{lane:.1f},{y1:.1f} {lane:.1f},{y1 + down * radius:.1f} "
        f"V{y2 - down * radius:.1f} "
        f"Q{lane:.1f},{y2:.1f} {lane + from_lane * radius:.1f},{y2:.1f} H{x2:.1f}"
    )


def _shade(name: str) -> str:
    return f"var(--{name},{(SHADES | COLOURS)[name]})"


def _style() -> str:
    rules = [
        f"text{{font-family:{FONT};font-size:12px;fill:{_shade('text')}}}",
        f".small{{font-size:11px;fill:{_shade('quiet')}}}",
        f".paper{{fill:{_shade('paper')}}}",
        ".title{font-size:15px;font-weight:bold}",
        f".headline{{fill:{_shade('wrong')}}}",
        ".thread{font-size:14px;font-weight:bold;text-anchor:middle}",
        f".box{{fill:{_shade('box')};stroke:{_shade('line')};stroke-width:1}}",
        f".key{{fill:{_shade('key')};stroke:{_shade('wrong')};stroke-width:2.5}}",
        f".stuck{{fill:{_shade('wrong')};stroke:none}}",
        f".stuck-text{{fill:{_shade('paper')};font-weight:bold}}",
        f".done{{fill:{_shade('quiet')};text-anchor:middle}}",
        f".po{{stroke:{_shade('line')};stroke-width:1.5;fill:none}}",
        ".edge{fill:none;stroke-width:1.6}",
        ".strong{stroke-width:3}",
        ".label{font-size:10px;font-weight:bold;text-anchor:middle;paint-order:stroke;"
        f"stroke:{_shade('paper')};stroke-width:3px}}",
    ]
    for kind in COLOURS:
        rules.append(f".edge.{kind}{{stroke:{_shade(kind)}}}")
        rules.append(f".label.{kind}{{fill:{_shade(kind)}}}")
        rules.append(f".head.{kind}{{fill:{_shade(kind)}}}")
    # A page may hold several graphs, and classes of its own.
    return f"<style>{''.join(f'.fencepost-graph {rule}' for rule in rules)}</style>"


def _markers(mark: str) -> str:
    parts = []
    for kind in COLOURS:
        parts.append(
            f'<marker id="{mark}{kind}" markerUnits="userSpaceOnUse" markerWidth="10" '
            f'markerHeight="10" refX="9" refY="4" orient="auto">'
            f'<path class="head {kind}" d="M0,0 L9,4 L0,8 z"/></marker>'
        )
    return f"<defs>{''.join(parts)}</defs>"


def _dashes(kind: str) -> str:
    return {"fr": ' stroke-dasharray="7 4"', "sync": ' stroke-dasharray="2 4"'}.get(kind, "")


def draw(violation: Violation, names: Names, title: str) -> str:
    """The text of an SVG that stands for itself."""
    headline = f"{violation.kind}: {names.message(violation.message)}"
    steps = steps_of(violation.execution, names)
    return draw_steps(violation, steps, names, title, headline)


def draw_steps(
    violation: Violation,
    steps: list[Step],
    names: Names,
    title: str,
    headline: str = "",
    mark: str = "head-",
) -> str:
    """The text of an SVG with these steps of the execution. Without a headline it is for a page
    that says what it shows; `mark` begins the ids of its arrow heads."""
    execution = violation.execution
    threads = execution.thread_ids
    column = {step.number: threads.index(step.thread) for step in steps}
    rows = _Rows([step.number for step in steps], HEAD if headline else 36)
    edges = sorted(set(_edges(execution, steps)), key=lambda e: (e.strong, e.source, e.target))
    routes = _routes(edges, column)
    _assign_ports(routes, rows)
    lanes = _assign_lanes(routes, len(threads) + 1)
    endings = {end.id: _ending(violation, end.id, steps, names) for end in execution.threads}
    minimum = {t: max((len(x) for x in e), default=0) * ADVANCE for t, e in endings.items()}
    layout = _layout(threads, steps, lanes, minimum)

    total = max(layout.total, MARGIN * 2 + len(headline) * ADVANCE, 640)
    ends_height = max((len(lines) for lines in endings.values()), default=0) * 16 + 30
    legend_top = rows.bottom + (ends_height if endings else 0) + 10
    used = ["po", *dict.fromkeys(edge.kind for edge in edges)]
    height = legend_top + 20 * len(used) + MARGIN

    out = [
        f'<svg class="fencepost-graph" xmlns="http://www.w3.org/2000/svg" width="{total:.0f}" '
        f'height="{height:.0f}" viewBox="0 0 {total:.0f} {height:.0f}" role="img">',
        f"<title>{escape(title)}</title>",
        _style(),
        _markers(mark),
        '<rect class="paper" width="100%" height="100%"/>',
    ]
    if headline:
        out.append(f'<text class="title" x="{MARGIN}" y="28">{escape(title)}</text>')
        out.append(f'<text class="headline" x="{MARGIN}" y="48">{escape(headline)}</text>')
    out += _columns(layout, steps, names, rows, set(endings))
    for route in routes:
        out += _arrow(layout, route, column, mark)
    for step in steps:
        out += _box(layout, step, rows)
    for route in routes:
        out.append(_label(layout, route, column))
    for thread, lines in endings.items():
        out += _end_box(layout, thread, lines, rows.bottom)
    out += _legend(used, legend_top, mark)
    out.append("</svg>")
    return "\n".join(out) + "\n"


def _ending(violation: Violation, thread: int, steps: list[Step], names: Names) -> list[str]:
    """What stands below a thread's last step: nothing but its state if it finished."""
    end = next(end for end in violation.execution.threads if end.id == thread)
    if end.state == "finished":
        return ["finished"]
    failed = end.state != "blocked" and thread == violation.thread
    place = names.place(violation.pc if failed else end.pc)
    state = "fails" if failed else end.state
    lines = [f"{state}{f' at {place}' if place else ''}"]
    lines += why_stuck(violation.execution, end, steps, names)
    return [_clipped(text, 60) for text in lines]


def _columns(
    layout: _Layout, steps: list[Step], names: Names, rows: _Rows, ended: set[int]
) -> list[str]:
    out = []
    for place, thread in enumerate(layout.threads):
        middle = layout.left[place] + layout.width[place] / 2
        name = escape(names.thread(thread))
        out.append(f'<text class="thread" x="{middle:.1f}" y="{rows.head - 14}">{name}</text>')
        own = [step.number for step in steps if step.thread == thread]
        if own:
            end = rows.bottom if thread in ended else rows.y(own[-1])
            out.append(f'<path class="po" d="M{middle:.1f},{rows.y(own[0])} V{end:.1f}"/>')
    return out


def _arrow(layout: _Layout, route: Route, column: dict[int, int], mark: str) -> list[str]:
    edge = route.edge
    strong = " strong" if edge.strong else ""
    faint = "" if edge.strong else ' stroke-opacity="0.75"'
    path = _path(layout, route, column)
    return [
        f'<path class="edge {edge.kind}{strong}" data-from="{edge.source}" data-to="{edge.target}" '
        f'd="{path}"{faint}{_dashes(edge.kind)} marker-end="url(#{mark}{edge.kind})">'
        f"<title>{edge.kind}: step {edge.source} to step {edge.target}</title></path>"
    ]


def _label(layout: _Layout, route: Route, column: dict[int, int]) -> str:
    if route.edge.kind == "sync":
        return ""
    target = column[route.edge.target]
    if route.enters_left:
        x = layout.left[target] - 20
    else:
        x = layout.left[target] + layout.width[target] + 20
    edge = route.edge
    return (
        f'<text class="label {edge.kind}" data-from="{edge.source}" data-to="{edge.target}" '
        f'x="{x:.1f}" y="{route.enter_y + 3.5:.1f}">{edge.kind}</text>'
    )


def _box(layout: _Layout, step: Step, rows: _Rows) -> list[str]:
    place = layout.column(step.thread)
    x, y, width = layout.left[place], rows.y(step.number), layout.width[place]
    kind = "key" if step.highlight else "box"
    tip = "\n".join(part for part in (step.action, step.remark, step.source) if part)
    weight = ' font-weight="bold"' if step.highlight else ""
    return [
        f'<g data-step="{step.number}"><title>{escape(tip)}</title>',
        f'<rect class="{kind}" x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" '
        f'height="{BOX_HEIGHT}" rx="6"/>',
        f'<text x="{x + 10:.1f}" y="{y + 19:.1f}"{weight}>{escape(_title(step))}</text>',
        f'<text class="small" x="{x + 10:.1f}" y="{y + 36:.1f}" xml:space="preserve">'
        f"{escape(_place_text(step))}</text>",
        "</g>",
    ]


def _end_box(layout: _Layout, thread: int, lines: list[str], top: float) -> list[str]:
    place = layout.column(thread)
    x, width = layout.left[place], layout.width[place]
    if lines == ["finished"]:
        middle = x + width / 2
        return [f'<text class="done" x="{middle:.1f}" y="{top + 16:.1f}">finished</text>']
    height = 16 * len(lines) + 12
    out = [
        f'<rect class="stuck" x="{x:.1f}" y="{top:.1f}" width="{width:.1f}" '
        f'height="{height}" rx="6"/>'
    ]
    out += [
        f'<text class="stuck-text" x="{x + 10:.1f}" y="{top + 18 + 16 * row:.1f}">'
        f"{escape(text)}</text>"
        for row, text in enumerate(lines)
    ]
    return out


def _legend(kinds: list[str], top: float, mark: str) -> list[str]:
    out = []
    for row, kind in enumerate(kinds):
        y = top + 20 * row
        if kind == "po":
            line = f'<path class="po" d="M{MARGIN},{y} h36"/>'
        else:
            line = (
                f'<path class="edge {kind}" d="M{MARGIN},{y} h36"'
                f'{_dashes(kind)} marker-end="url(#{mark}{kind})"/>'
            )
        name = "" if kind in ("sync", "race") else f"{kind}  "
        out.append(f'{line}<text x="{MARGIN + 46}" y="{y + 4:.1f}">{name}{MEANINGS[kind]}</text>')
    return out
