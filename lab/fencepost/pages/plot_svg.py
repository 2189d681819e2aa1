# SPDX-License-Identifier: MIT
"""Panels of figures as SVG: strips with a dot for each window, lines over a parameter, and
distributions. A panel is as wide as a phone, so that its text is legible there; pages and files
put several beside each other. Colours are a page's (plot.css), for light, dark and paper.

Drawn here and not by a library: what matplotlib writes has its colours and the width of its text
baked in, so that one figure could not serve a phone, a dark screen and a printer.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from fencepost.pages.markup import escape
from fencepost.pages.plot_axes import Axis

WIDTH = 380
#: How wide a letter of 11 px is on average, in the widest of the usual fonts.
LETTER = 6.9
_LEFT, _RIGHT, _TOP, _BOTTOM = 46, 12, 26, 42
_ROW, _STRIP, _LABEL = 31, 13, 13
_PLOT = 220
_KEY_ROW = 16
#: More dots than these would be a blot: the density is drawn instead.
MOST_DOTS = 120
DASHES = ("", "6 3", "2 3", "8 3 2 3")
HUES = 8


@dataclass(frozen=True)
class Panel:
    """One drawn panel."""

    title: str
    height: float
    body: str

    def svg(self) -> str:
        """The plot for a page, which has the style."""
        return (
            f'<svg class="plot" viewBox="0 0 {WIDTH} {self.height:g}" width="{WIDTH}" '
            f'height="{self.height:g}" role="img" aria-label="{escape(self.title)}">'
            f"{self.body}</svg>"
        )


@dataclass(frozen=True)
class Strip:
    """A row of a panel: the windows of one variant."""

    name: str
    #: What stands at the right: the figure in numbers.
    said: str
    #: good, bad, equal, unknown, differs, reference or plain.
    kind: str
    mark: str
    dots: Sequence[float]
    middle: float
    low: float | None
    high: float | None


@dataclass(frozen=True)
class Point:
    place: float
    dots: Sequence[float]
    middle: float
    low: float | None
    high: float | None


@dataclass(frozen=True)
class Line:
    """A curve; `hue` chooses its colour and dashes, so that it looks the same in every panel."""

    name: str
    hue: int
    points: Sequence[Point]


@dataclass(frozen=True)
class Curve:
    """A distribution as a line, with thin ones of its rounds."""

    name: str
    hue: int
    points: Sequence[tuple[float, float]]
    rounds: Sequence[Sequence[tuple[float, float]]] = field(default=())


def _text(x: float, y: float, words: str, kind: str = "", anchor: str = "start") -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}"{f" class={chr(34)}{kind}{chr(34)}" if kind else ""}'
        f"{f' text-anchor={chr(34)}{anchor}{chr(34)}' if anchor != 'start' else ''}>"
        f"{escape(words)}</text>"
    )


def shortened(words: str, width: float) -> str:
    """What fits, with an ellipsis for the middle of what does not: names differ at their ends."""
    most = max(3, int(width / LETTER))
    if len(words) <= most:
        return words
    tail = most // 2
    return f"{words[: most - 1 - tail]}…{words[-tail:]}"


def _title(words: str) -> str:
    return _text(4, 15, shortened(words, WIDTH * 0.88), "title")


def _across(axis: Axis, left: float, top: float, bottom: float) -> Iterator[str]:
    """The axis at the bottom, with lines up through the panel."""
    width = WIDTH - _RIGHT - left
    taken = -math.inf
    for value, said in axis.marks:
        x = left + axis.place(value) * width
        yield f'<path class="grid" d="M{x:.1f} {top:g}V{bottom:g}"/>'
        half = len(said) * LETTER / 2
        if x - half > taken + 4:
            where = min(x, WIDTH - half - 1)
            yield _text(where, bottom + 15, said, "small", "middle")
            taken = where + half
    yield f'<path class="axis" d="M{left:g} {bottom:g}H{WIDTH - _RIGHT}"/>'
    yield _text(left + width / 2, bottom + 33, axis.name, "small", "middle")


def strips(title: str, rows: Sequence[Strip], axis: Axis, level: float | None) -> Panel:
    """A row a variant; `level` is where the reference lies, a line through all of them."""
    left = 8.0
    width = WIDTH - _RIGHT - left
    tops = [float(_TOP)]
    for row in rows:
        tops.append(tops[-1] + _ROW + (0 if _fits(row) else _LABEL))
    bottom = tops[-1] + 4
    parts = [_title(title), *_across(axis, left, _TOP, bottom)]
    if level is not None:
        x = left + axis.place(level) * width
        parts.append(f'<path class="level" d="M{x:.1f} {_TOP:g}V{bottom:g}"/>')
    for row, top in zip(rows, tops, strict=False):
        parts += _strip(row, axis, left, top)
    return Panel(title, bottom + _BOTTOM, "".join(parts))


def _named(row: Strip) -> str:
    return f"{row.mark} {row.name}".strip()


def _fits(row: Strip) -> bool:
    """Whether its name and its number go beside each other; else the number stands below."""
    return (len(_named(row)) + len(row.said)) * LETTER + 6 <= WIDTH - _RIGHT - 8


def _strip(row: Strip, axis: Axis, left: float, top: float) -> Iterator[str]:
    width = WIDTH - _RIGHT - left
    name = shortened(_named(row), width)
    yield f'<g class="{row.kind}"><title>{escape(f"{row.name}: {row.said}")}</title>'
    yield _text(left, top + 10, name, "name")
    top += 0 if _fits(row) else _LABEL
    yield _text(WIDTH - _RIGHT, top + 10, row.said, "number", "end")
    middle = top + _LABEL + _STRIP / 2

    def x(value: float) -> float:
        return left + axis.place(value) * width

    if len(row.dots) > MOST_DOTS:
        yield _density([x(value) for value in row.dots], middle)
    else:
        for across, up in swarm([x(value) for value in row.dots], _STRIP / 2 - 2):
            yield f'<circle cx="{across:.1f}" cy="{middle + up:.1f}" r="2.3"/>'
    if row.low is not None and row.high is not None:
        yield (
            f'<path class="interval" d="M{x(row.low):.1f} {middle:g}H{x(row.high):.1f}'
            f'M{x(row.low):.1f} {middle - 4:g}v8M{x(row.high):.1f} {middle - 4:g}v8"/>'
        )
    yield f'<path class="middle" d="M{x(row.middle):.1f} {middle - 6.5:g}v13"/></g>'


def swarm(places: Sequence[float], room: float, size: float = 3.2) -> list[tuple[float, float]]:
    """Dots that would hide each other are moved up and down, within `room`."""
    put: list[tuple[float, float]] = []
    offsets = [0.0]
    step = size
    while step <= room:
        offsets += [-step, step]
        step += size
    for place in sorted(places):
        near = [one for one in put if place - one[0] < size]
        free = (up for up in offsets if all(math.hypot(place - x, up - y) >= size for x, y in near))
        put.append((place, next(free, offsets[len(put) % len(offsets)])))
    return put


def _density(places: Sequence[float], middle: float) -> str:
    """How many lie where, to both sides of a line: smoothed over three pixels."""
    low, high = min(places) - 6, max(places) + 6
    columns = max(2, int(high - low))
    counts = [0.0] * (columns + 1)
    for place in places:
        for n in range(-6, 7):
            column = int(place - low) + n
            if 0 <= column <= columns:
                counts[column] += math.exp(-((n / 2.0) ** 2) / 2)
    most = max(counts)
    half = [_STRIP / 2 * number / most for number in counts]
    above = [f"{low + n:.1f},{middle - up:.1f}" for n, up in enumerate(half)]
    below = [f"{low + n:.1f},{middle + up:.1f}" for n, up in reversed(list(enumerate(half)))]
    return f'<polygon class="density" points="{" ".join(above + below)}"/>'


def _up(axis: Axis, top: float, bottom: float) -> Iterator[str]:
    """The axis at the left, with lines across the panel."""
    for value, said in axis.marks:
        y = bottom - axis.place(value) * (bottom - top)
        yield f'<path class="grid" d="M{_LEFT} {y:.1f}H{WIDTH - _RIGHT}"/>'
        yield _text(_LEFT - 5, y + 4, said, "small", "end")
    yield f'<path class="axis" d="M{_LEFT} {top:g}V{bottom:g}"/>'
    yield _text(4, top - 8, axis.name, "small")


def _stroke(hue: int) -> str:
    dashes = DASHES[hue // HUES % len(DASHES)]
    return f'class="line h{hue % HUES}"' + (f' stroke-dasharray="{dashes}"' if dashes else "")


def _key(entries: Sequence[tuple[str, int]], top: float) -> Iterator[str]:
    for n, (name, hue) in enumerate(entries):
        y = top + n * _KEY_ROW
        yield f'<path {_stroke(hue)} d="M{_LEFT} {y:g}h26"/>'
        yield f'<circle class="h{hue % HUES}" cx="{_LEFT + 13}" cy="{y:g}" r="2.5"/>'
        yield _text(_LEFT + 33, y + 4, shortened(name, WIDTH - _LEFT - 40), "name")


def lines(title: str, curves: Sequence[Line], x: Axis, y: Axis) -> Panel:
    """Over a parameter: the middles joined, intervals as bars, every window a dot."""
    top = _TOP + 20
    bottom = top + _PLOT
    width = WIDTH - _RIGHT - _LEFT
    parts = [_title(title), *_up(y, top, bottom), *_across(x, _LEFT, bottom, bottom)]
    for n, curve in enumerate(curves):
        # Bars of one place stand beside each other, and not at the next one.
        aside = (n - (len(curves) - 1) / 2) * min(3.0, 14.0 / len(curves))
        hue = f"h{curve.hue % HUES}"

        def at(point: Point, value: float, aside: float = aside) -> tuple[float, float]:
            return (_LEFT + x.place(point.place) * width + aside, bottom - y.place(value) * _PLOT)

        ends = " ".join("{:.1f},{:.1f}".format(*at(p, p.middle)) for p in curve.points)
        parts.append(f"<g><title>{escape(curve.name)}</title>")
        parts.append(f'<polyline {_stroke(curve.hue)} points="{ends}"/>')
        for point in curve.points:
            for value in point.dots if len(point.dots) <= MOST_DOTS else ():
                across, up = at(point, value)
                parts.append(
                    f'<circle class="faint {hue}" cx="{across:.1f}" cy="{up:.1f}" r="1.7"/>'
                )
            if point.low is not None and point.high is not None:
                (across, low), (_, high) = at(point, point.low), at(point, point.high)
                parts.append(
                    f'<path class="bar {hue}" d="M{across:.1f} {low:.1f}V{high:.1f}'
                    f'M{across - 2.5:.1f} {low:.1f}h5M{across - 2.5:.1f} {high:.1f}h5"/>'
                )
            across, up = at(point, point.middle)
            parts.append(f'<circle class="{hue}" cx="{across:.1f}" cy="{up:.1f}" r="2.8"/>')
        parts.append("</g>")
    key = bottom + _BOTTOM + 10
    parts += _key([(curve.name, curve.hue) for curve in curves], key)
    return Panel(title, key + len(curves) * _KEY_ROW, "".join(parts))


def distributions(title: str, curves: Sequence[Curve], x: Axis, y: Axis) -> Panel:
    """Distributions: what all rounds say together thick, each round by itself thin."""
    top = _TOP + 20
    bottom = top + _PLOT
    width = WIDTH - _RIGHT - _LEFT
    parts = [_title(title), *_up(y, top, bottom), *_across(x, _LEFT, top, bottom)]

    def path(points: Sequence[tuple[float, float]]) -> str:
        return " ".join(
            f"{_LEFT + x.place(across) * width:.1f},{bottom - y.place(up) * _PLOT:.1f}"
            for across, up in points
        )

    for curve in curves:
        hue = f"h{curve.hue % HUES}"
        parts.append(f"<g><title>{escape(curve.name)}</title>")
        for one in curve.rounds:
            parts.append(f'<polyline class="thin {hue}" points="{path(one)}"/>')
        parts.append(f'<polyline {_stroke(curve.hue)} points="{path(curve.points)}"/></g>')
    key = bottom + _BOTTOM + 10
    parts += _key([(curve.name, curve.hue) for curve in curves], key)
    return Panel(title, key + len(curves) * _KEY_ROW, "".join(parts))


def sheet(panels: Sequence[Panel], style: str, title: str, source: str) -> str:
    """Panels beside each other as a file of its own."""
    columns = min(3, len(panels))
    gap = 16
    rows = [panels[n : n + columns] for n in range(0, len(panels), columns)]
    wide = columns * WIDTH + (columns - 1) * gap + 16
    headings = _broken(title, wide, 9.4)
    parts, top = [], 14.0 + 20 * len(headings)
    for row in rows:
        for n, panel in enumerate(row):
            parts.append(
                f'<svg x="{8 + n * (WIDTH + gap)}" y="{top:g}" width="{WIDTH}" '
                f'height="{panel.height:g}">{panel.body}</svg>'
            )
        top += max(panel.height for panel in row) + gap
    said = "".join(
        _text(12, top + 8 + n * 15, line, "small") for n, line in enumerate(_broken(source, wide))
    )
    headed = "".join(_text(12, 22 + n * 20, line, "heading") for n, line in enumerate(headings))
    high = top + 8 + 15 * len(_broken(source, wide))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="plot" viewBox="0 0 {wide} {high:g}" '
        f'width="{wide}" height="{high:g}" role="img"><title>{escape(title)}</title>'
        f'<style>{style}</style><rect class="paper" width="{wide}" height="{high:g}"/>'
        f"{headed}{''.join(parts)}{said}</svg>\n"
    )


def _broken(words: str, width: float, letter: float = LETTER) -> list[str]:
    """Into lines that fit."""
    lines = [""]
    for word in words.split():
        if lines[-1] and (len(lines[-1]) + 1 + len(word)) * letter > width - 24:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return lines
