# SPDX-License-Identifier: MIT
"""A counterexample as a self-contained SVG: threads are columns, steps are rows, one box a row."""

from __future__ import annotations

from fencepost.execution.schema import ThreadEnd, Violation
from fencepost.execution.steps import Step, steps_of, why_stuck
from fencepost.execution.symbolise import Names
from fencepost.pages.markup import escape
from fencepost.render.graph_edges import edges_between
from fencepost.render.graph_layout import (
    ADVANCE,
    BOX_HEIGHT,
    MARGIN,
    Layout,
    Route,
    Rows,
    assign_lanes,
    assign_ports,
    lay_out,
    path_of,
    routes_of,
)
from fencepost.render.graph_style import MEANINGS, dashes, markers, style_rules
from fencepost.render.graph_texts import box_title, clipped, place_text

HEAD = 96  # for the title and the headline


def draw(violation: Violation, names: Names, title: str) -> str:
    """The text of an SVG that stands for itself."""
    headline = f"{violation.kind}: {names.message(violation.message)}"
    steps = steps_of(violation.execution, names)
    return draw_steps(violation, steps, names, title, headline)


def draw_sentence(text: str) -> str:
    """The text of an SVG for where there is no execution to draw."""
    width = MARGIN * 2 + len(text) * ADVANCE
    return (
        f'<svg class="fencepost-graph" xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" '
        f'height="56" viewBox="0 0 {width:.0f} 56" role="img"><title>{escape(text)}</title>'
        f"<style>{style_rules()}</style>"
        '<rect class="paper" width="100%" height="100%"/>'
        f'<text x="{MARGIN}" y="32">{escape(text)}</text></svg>\n'
    )


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
    rows = Rows([step.number for step in steps], HEAD if headline else 36)
    edges = sorted(
        set(edges_between(execution, steps)), key=lambda e: (e.strong, e.source, e.target)
    )
    routes = routes_of(edges, column)
    assign_ports(routes, rows)
    lanes = assign_lanes(routes, len(threads) + 1)
    endings = {end.id: _ending(violation, end, steps, names) for end in execution.threads}
    minimum = {t: max((len(x) for x in e), default=0) * ADVANCE for t, e in endings.items()}
    layout = lay_out(threads, steps, lanes, minimum)

    total = max(layout.total, MARGIN * 2 + len(headline) * ADVANCE, 640)
    ends_height = max((len(lines) for lines in endings.values()), default=0) * 16 + 30
    legend_top = rows.bottom + (ends_height if endings else 0) + 10
    used = ["po", *dict.fromkeys(edge.kind for edge in edges)]
    height = legend_top + 20 * len(used) + MARGIN

    out = [
        f'<svg class="fencepost-graph" xmlns="http://www.w3.org/2000/svg" width="{total:.0f}" '
        f'height="{height:.0f}" viewBox="0 0 {total:.0f} {height:.0f}" role="img">',
        f"<title>{escape(title)}</title>",
        f"<style>{style_rules()}</style>",
        markers(mark),
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
    for end in execution.threads:
        kind = "stuck" if violation.is_wrong(end) else "left"
        out += _end_box(layout, end.id, endings[end.id], rows.bottom, kind)
    out += _legend(used, legend_top, mark)
    out.append("</svg>")
    return "\n".join(out) + "\n"


def _ending(violation: Violation, end: ThreadEnd, steps: list[Step], names: Names) -> list[str]:
    """What stands below a thread's last step: nothing but its state if it finished."""
    if end.state == "finished":
        return ["finished"]
    failed = violation.fails(end)
    place = names.place(violation.pc if failed else end.pc)
    state = "fails" if failed else end.state
    lines = [f"{state}{f' at {place}' if place else ''}"]
    lines += why_stuck(violation.execution, end, steps, names)
    return [clipped(text, 60) for text in lines]


def _columns(
    layout: Layout, steps: list[Step], names: Names, rows: Rows, ended: set[int]
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


def _arrow(layout: Layout, route: Route, column: dict[int, int], mark: str) -> list[str]:
    edge = route.edge
    strong = " strong" if edge.strong else ""
    faint = "" if edge.strong else ' stroke-opacity="0.75"'
    path = path_of(layout, route, column)
    return [
        f'<path class="edge {edge.kind}{strong}" data-from="{edge.source}" data-to="{edge.target}" '
        f'd="{path}"{faint}{dashes(edge.kind)} marker-end="url(#{mark}{edge.kind})">'
        f"<title>{edge.kind}: step {edge.source} to step {edge.target}</title></path>"
    ]


def _label(layout: Layout, route: Route, column: dict[int, int]) -> str:
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


def _box(layout: Layout, step: Step, rows: Rows) -> list[str]:
    place = layout.column(step.thread)
    x, y, width = layout.left[place], rows.y(step.number), layout.width[place]
    kind = "key" if step.highlight else "box"
    tip = "\n".join(part for part in (step.action, step.remark, step.source) if part)
    weight = ' font-weight="bold"' if step.highlight else ""
    return [
        f'<g data-step="{step.number}"><title>{escape(tip)}</title>',
        f'<rect class="{kind}" x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" '
        f'height="{BOX_HEIGHT}" rx="6"/>',
        f'<text x="{x + 10:.1f}" y="{y + 19:.1f}"{weight}>{escape(box_title(step))}</text>',
        f'<text class="small" x="{x + 10:.1f}" y="{y + 36:.1f}" xml:space="preserve">'
        f"{escape(place_text(step))}</text>",
        "</g>",
    ]


def _end_box(layout: Layout, thread: int, lines: list[str], top: float, kind: str) -> list[str]:
    place = layout.column(thread)
    x, width = layout.left[place], layout.width[place]
    if lines == ["finished"]:
        middle = x + width / 2
        return [f'<text class="done" x="{middle:.1f}" y="{top + 16:.1f}">finished</text>']
    height = 16 * len(lines) + 12
    out = [
        f'<rect class="{kind}" x="{x:.1f}" y="{top:.1f}" width="{width:.1f}" '
        f'height="{height}" rx="6"/>'
    ]
    out += [
        f'<text class="{kind}-text" x="{x + 10:.1f}" y="{top + 18 + 16 * row:.1f}">'
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
                f'{dashes(kind)} marker-end="url(#{mark}{kind})"/>'
            )
        name = "" if kind in ("sync", "race") else f"{kind}  "
        out.append(f'{line}<text x="{MARGIN + 46}" y="{y + 4:.1f}">{name}{MEANINGS[kind]}</text>')
    return out
