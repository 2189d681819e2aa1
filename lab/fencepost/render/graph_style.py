# SPDX-License-Identifier: MIT
"""The colours of a counterexample's graph, and its other style."""

from __future__ import annotations

FONT = "ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace"

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
    "sync": "starts or joins a thread, or meets it at a barrier or latch",
    "race": "nothing orders these two",
}


def _shade(name: str) -> str:
    return f"var(--{name},{(SHADES | COLOURS)[name]})"


def style_rules() -> str:
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
        f".left{{fill:none;stroke:{_shade('line')};stroke-dasharray:4 3}}",
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
    return "".join(f".fencepost-graph {rule}" for rule in rules)


def markers(mark: str) -> str:
    parts = []
    for kind in COLOURS:
        parts.append(
            f'<marker id="{mark}{kind}" markerUnits="userSpaceOnUse" markerWidth="10" '
            f'markerHeight="10" refX="9" refY="4" orient="auto">'
            f'<path class="head {kind}" d="M0,0 L9,4 L0,8 z"/></marker>'
        )
    return f"<defs>{''.join(parts)}</defs>"


def dashes(kind: str) -> str:
    return {"fr": ' stroke-dasharray="7 4"', "sync": ' stroke-dasharray="2 4"'}.get(kind, "")
