# SPDX-License-Identifier: MIT
"""Curves over the number of threads as a self-contained SVG, both axes logarithmic: each round a
dot, their typical value a line, its interval a band. Names stand at the ends of the lines."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape

from fencepost.compare.ratios import FEWEST, Ratio

WIDTH, HEIGHT = 980, 620
LEFT, RIGHT, TOP, BOTTOM = 86, 206, 64, 58
LABEL_HEIGHT = 17
FONT = "system-ui, 'DejaVu Sans', sans-serif"


@dataclass(frozen=True)
class Style:
    """How one curve is drawn."""

    colour: str
    dashes: str = ""


@dataclass(frozen=True)
class Point:
    """One number of threads: every round, and what they say together."""

    threads: int
    rounds: Sequence[float]
    middle: Ratio


@dataclass(frozen=True)
class Curve:
    name: str
    style: Style
    points: Sequence[Point]


@dataclass(frozen=True)
class Plot:
    title: str
    subtitle: str
    unit: str
    curves: Sequence[Curve]
    #: A line across, of what the others are multiples of.
    level: float | None = None


class Axes:
    """Where a figure lies on the paper."""

    def __init__(self, plot: Plot) -> None:
        points = [point for curve in plot.curves for point in curve.points]
        values = [value for point in points for value in (*point.rounds, point.middle.value)]
        if plot.level is not None:
            values.append(plot.level)
        # Nothing done at all has no place on a logarithmic axis: it lies on its lower end.
        values = [value for value in values if value > 0] or [1.0]
        self.threads = sorted({point.threads for point in points})
        self.least = math.log10(min(values)) - 0.04
        self.most = math.log10(max(values)) + 0.04

    def x(self, threads: float) -> float:
        first, last = math.log2(self.threads[0]), math.log2(self.threads[-1])
        share = (math.log2(threads) - first) / (last - first) if last > first else 0.5
        return LEFT + 14 + share * (WIDTH - LEFT - RIGHT - 28)

    def y(self, value: float) -> float:
        place = math.log10(value) if value > 0 else self.least
        share = (min(max(place, self.least), self.most) - self.least) / (self.most - self.least)
        return HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM)

    def ticks(self) -> Iterator[tuple[float, bool]]:
        """1, 2 and 5 of each decade, and whether it is a whole decade."""
        for decade in range(math.floor(self.least), math.ceil(self.most) + 1):
            for step in (1, 2, 5):
                value = step * 10.0**decade
                if self.least <= math.log10(value) <= self.most:
                    yield value, step == 1


def said(value: float) -> str:
    for size, letter in ((1e9, " G"), (1e6, " M"), (1e3, " k")):
        if value >= size:
            return f"{value / size:g}{letter}"
    return f"{value:g}"


def _frame(plot: Plot, axes: Axes) -> Iterator[str]:
    right, bottom = WIDTH - RIGHT, HEIGHT - BOTTOM
    yield f'<text x="{LEFT}" y="28" font-size="18" font-weight="600">{escape(plot.title)}</text>'
    yield f'<text x="{LEFT}" y="49" fill="#5f6368">{escape(plot.subtitle)}</text>'
    for value, whole in axes.ticks():
        y = axes.y(value)
        shade = "#bdc1c6" if whole else "#e8eaed"
        yield f'<path d="M{LEFT} {y:.1f}H{right}" stroke="{shade}"/>'
        yield f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{said(value)}</text>'
    for threads in axes.threads:
        x = axes.x(threads)
        yield f'<path d="M{x:.1f} {bottom}v5" stroke="#5f6368"/>'
        yield f'<text x="{x:.1f}" y="{bottom + 20}" text-anchor="middle">{threads}</text>'
    if plot.level is not None:
        y = axes.y(plot.level)
        yield f'<path d="M{LEFT} {y:.1f}H{right}" stroke="#202124" stroke-dasharray="2 3"/>'
    yield f'<path d="M{LEFT} {TOP}V{bottom}H{right}" fill="none" stroke="#5f6368"/>'
    middle = (LEFT + right) / 2
    yield f'<text x="{middle}" y="{HEIGHT - 14}" text-anchor="middle">threads</text>'
    yield (
        f'<text transform="translate(18 {(TOP + bottom) / 2}) rotate(-90)" text-anchor="middle">'
        f"{escape(plot.unit)}</text>"
    )


def _curve(curve: Curve, axes: Axes) -> Iterator[str]:
    colour = curve.style.colour
    known = [p for p in curve.points if p.middle.rounds >= FEWEST]
    tops = [f"{axes.x(p.threads):.1f},{axes.y(p.middle.high):.1f}" for p in known]
    lows = [f"{axes.x(p.threads):.1f},{axes.y(p.middle.low):.1f}" for p in known]
    middles = [f"{axes.x(p.threads):.1f},{axes.y(p.middle.value):.1f}" for p in curve.points]
    yield f"<g><title>{escape(curve.name)}</title>"
    yield f'<polygon points="{" ".join([*tops, *reversed(lows)])}" fill="{colour}" opacity="0.13"/>'
    for point in curve.points:
        for value in point.rounds:
            yield (
                f'<circle cx="{axes.x(point.threads):.1f}" cy="{axes.y(value):.1f}" r="2" '
                f'fill="{colour}" opacity="0.35"/>'
            )
    dashes = f' stroke-dasharray="{curve.style.dashes}"' if curve.style.dashes else ""
    yield (
        f'<polyline points="{" ".join(middles)}" fill="none" stroke="{colour}" '
        f'stroke-width="2"{dashes}/></g>'
    )


def _names(curves: Sequence[Curve], axes: Axes) -> Iterator[str]:
    """At the ends of the lines, from above, each below the one before it; then back, so that none
    falls off the paper."""
    ends = sorted((axes.y(c.points[-1].middle.value), c.name, c) for c in curves)
    places: list[float] = []
    for wanted, _, _ in ends:
        places.append(max(wanted, places[-1] + LABEL_HEIGHT) if places else wanted)
    lowest = HEIGHT - 24.0
    for n in reversed(range(len(places))):
        places[n] = min(places[n], lowest)
        lowest = places[n] - LABEL_HEIGHT
    for (wanted, name, curve), place in zip(ends, places, strict=True):
        x = axes.x(curve.points[-1].threads)
        end = WIDTH - RIGHT + 18
        dashes = f' stroke-dasharray="{curve.style.dashes}"' if curve.style.dashes else ""
        yield (
            f'<path d="M{x + 4:.1f} {wanted:.1f}L{end - 12} {place:.1f}H{end}" fill="none" '
            f'stroke="{curve.style.colour}"{dashes}/>'
        )
        yield (
            f'<text x="{end + 5}" y="{place + 4:.1f}" fill="{curve.style.colour}">'
            f"{escape(name)}</text>"
        )


def draw(plot: Plot) -> str:
    axes = Axes(plot)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        f'width="{WIDTH}" height="{HEIGHT}" font-family="{FONT}" font-size="13" fill="#202124">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>',
        *_frame(plot, axes),
        *(part for curve in plot.curves for part in _curve(curve, axes)),
        *_names(plot.curves, axes),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def styles(names: Sequence[str], known: Mapping[str, Style]) -> dict[str, Style]:
    """A style for each: those that are known keep theirs, so that curves look the same in every
    figure; what is new gets a colour of its own."""
    spare = iter(("#00838f", "#9e9d24", "#6d4c41", "#c2185b", "#455a64", "#ef6c00"))
    return {name: known.get(name) or Style(next(spare, "#5f6368")) for name in names}
