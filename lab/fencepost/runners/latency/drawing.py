# SPDX-License-Identifier: MIT
"""Panels of curves above each other as a self-contained SVG, in the style of the other figures:
what belongs to all at the right, names of the panels above them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from html import escape

from fencepost.runners.atomics.curves import FONT, Style

WIDTH, LEFT, RIGHT = 1000, 86, 268
TOP, PANEL, GAP, BOTTOM = 78, 190, 58, 56
GREY = "#5f6368"


@dataclass(frozen=True)
class Axis:
    """From a value to a share of the axis's length, and where it has marks."""

    name: str
    place: Callable[[float], float]
    marks: Sequence[tuple[float, str]]


@dataclass(frozen=True)
class Curve:
    style: Style
    points: Sequence[tuple[float, float]]
    #: Lower and upper ends, of the same places.
    band: Sequence[tuple[float, float, float]] = ()


@dataclass(frozen=True)
class Panel:
    name: str
    y: Axis
    curves: Sequence[Curve]


@dataclass(frozen=True)
class Chart:
    title: str
    subtitle: str
    x: Axis
    panels: Sequence[Panel]
    #: What each style stands for.
    key: Sequence[tuple[str, Style]]


def time_said(nanoseconds: float) -> str:
    for size, unit in ((1e9, "s"), (1e6, "ms"), (1e3, "µs")):
        if nanoseconds >= size * 0.9999:
            return f"{nanoseconds / size:.3g} {unit}"
    return f"{nanoseconds:.3g} ns"


def time_axis(least: float, most: float, name: str) -> Axis:
    """Logarithmic, with a mark at each power of ten."""
    low, high = math.log10(least), math.log10(most)
    decades = [10.0**n for n in range(math.ceil(low), math.floor(high) + 1)]
    return Axis(
        name,
        lambda value: (math.log10(max(value, 1e-3)) - low) / (high - low),
        [(value, time_said(value)) for value in decades],
    )


def share_axis(most: float, name: str) -> Axis:
    """Linear, from 0, with three or four marks."""
    step = 10 ** math.floor(math.log10(most))
    step *= next(f for f in (0.2, 0.5, 1, 2) if most / (f * step) <= 5)
    count = int(most / step)
    return Axis(
        name, lambda value: value / most, [(n * step, f"{n * step:g}") for n in range(count + 1)]
    )


def quantile_axis(most: float) -> Axis:
    """The closer to 1 the more room: each factor of ten that remains has the same length."""
    marks = [
        (0.0, "0"),
        (0.5, "50 %"),
        (0.9, "90 %"),
        (0.99, "99 %"),
        (0.999, "99.9 %"),
        (0.9999, "99.99 %"),
        (0.99999, "99.999 %"),
    ]
    length = -math.log10(1 - most)
    return Axis(
        "share of waits that were over by then",
        lambda value: -math.log10(max(1 - value, 1e-12)) / length,
        [(value, said) for value, said in marks if value <= most],
    )


def _top(n: int) -> float:
    return TOP + n * (PANEL + GAP)


def _frame(panel: Panel, x: Axis, top: float, is_last: bool) -> Iterator[str]:
    right, bottom = WIDTH - RIGHT, top + PANEL
    width = right - LEFT
    yield f'<text x="{LEFT}" y="{top - 9}" font-weight="600">{escape(panel.name)}</text>'
    for value, said in panel.y.marks:
        y = bottom - panel.y.place(value) * PANEL
        yield f'<path d="M{LEFT} {y:.1f}H{right}" stroke="#e8eaed"/>'
        yield f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{escape(said)}</text>'
    for value, said in x.marks:
        place = LEFT + x.place(value) * width
        yield f'<path d="M{place:.1f} {top}V{bottom}" stroke="#e8eaed"/>'
        yield f'<path d="M{place:.1f} {bottom}v5" stroke="{GREY}"/>'
        yield f'<text x="{place:.1f}" y="{bottom + 19}" text-anchor="middle">{escape(said)}</text>'
    yield f'<path d="M{LEFT} {top}V{bottom}H{right}" fill="none" stroke="{GREY}"/>'
    middle = top + PANEL / 2
    yield (
        f'<text transform="translate(20 {middle:.1f}) rotate(-90)" text-anchor="middle">'
        f"{escape(panel.y.name)}</text>"
    )
    if is_last:
        yield (
            f'<text x="{LEFT + width / 2}" y="{bottom + 42}" text-anchor="middle">'
            f"{escape(x.name)}</text>"
        )


def _curve(curve: Curve, x: Axis, y: Axis, top: float) -> Iterator[str]:
    width = WIDTH - RIGHT - LEFT

    def place(across: float, up: float) -> str:
        return f"{LEFT + x.place(across) * width:.1f},{top + PANEL - y.place(up) * PANEL:.1f}"

    if curve.band:
        ends = [place(across, high) for across, _, high in curve.band]
        ends += [place(across, low) for across, low, _ in reversed(curve.band)]
        yield f'<polygon points="{" ".join(ends)}" fill="{curve.style.colour}" opacity="0.15"/>'
    dashes = f' stroke-dasharray="{curve.style.dashes}"' if curve.style.dashes else ""
    points = " ".join(place(across, up) for across, up in curve.points)
    yield (
        f'<polyline points="{points}" fill="none" stroke="{curve.style.colour}" '
        f'stroke-width="2" stroke-linejoin="round"{dashes}/>'
    )


def _key(chart: Chart) -> Iterator[str]:
    for n, (name, style) in enumerate(chart.key):
        y = TOP + 10 + n * 22
        dashes = f' stroke-dasharray="{style.dashes}"' if style.dashes else ""
        start = WIDTH - RIGHT + 16
        yield f'<path d="M{start} {y}h24" stroke="{style.colour}" stroke-width="2"{dashes}/>'
        yield f'<text x="{start + 31}" y="{y + 4}" font-size="12">{escape(name)}</text>'


def draw(chart: Chart) -> str:
    height = _top(len(chart.panels)) - GAP + BOTTOM
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
        f'width="{WIDTH}" height="{height}" font-family="{FONT}" font-size="13" fill="#202124">',
        f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>',
        f'<text x="{LEFT}" y="24" font-size="18" font-weight="600">{escape(chart.title)}</text>',
        f'<text x="{LEFT}" y="44" fill="{GREY}">{escape(chart.subtitle)}</text>',
        *_key(chart),
    ]
    for n, panel in enumerate(chart.panels):
        clip = (
            f'<clipPath id="panel{n}"><rect x="{LEFT}" y="{_top(n)}" '
            f'width="{WIDTH - RIGHT - LEFT}" height="{PANEL}"/></clipPath>'
        )
        parts += [clip, *_frame(panel, chart.x, _top(n), n == len(chart.panels) - 1)]
        parts.append(f'<g clip-path="url(#panel{n})">')
        parts += [part for c in panel.curves for part in _curve(c, chart.x, panel.y, _top(n))]
        parts.append("</g>")
    return "\n".join([*parts, "</svg>"]) + "\n"
