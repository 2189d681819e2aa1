# SPDX-License-Identifier: MIT
"""The figure of time(N): each variant a panel, over two cycles, relative to the mean of all
layouts; and random placements as dots."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from fencepost.layout.analysis import Estimate
from fencepost.layout.findings import RANDOM, Found, Way
from fencepost.layout.text import period_text, way_title
from fencepost.pages.page_assets import asset
from fencepost.pages.plot_axes import Axis, axis
from fencepost.pages.plot_svg import Line, Panel, Point, Strip, lines, sheet, strips
from fencepost.system.whole_file import write_whole

_MARKS = 8


def draw(found: Sequence[Found], path: Path) -> None:
    """Writes an SVG file. Raises UnusableInput where that cannot be done."""
    panels = [panel for one in found for panel in _panels(one)]
    first = found[0]
    run = first.runs[-1]
    titles = {way_title(way.at, first) for one in found for way in one.ways if way.at != RANDOM}
    rounds = min(way.spread.rounds for one in found for way in one.ways)
    source = (
        f"{run.facts.get('machine', 'unknown machine')}; {run.facts.get('compiler', '')}. "
        f"{'; '.join(sorted(titles))}. {rounds} rounds in turns. Middles of rounds with 95 % "
        "intervals. Of random placements: middles, and what layout alone moves them by."
    )
    name = f"{first.layout['program']}: time(N), N bytes of padding"
    write_whole(path, sheet(panels, asset("plot.css"), name, source))


def _percent(estimate: Estimate) -> tuple[float, float, float]:
    return 100 * (estimate.value - 1), 100 * (estimate.low - 1), 100 * (estimate.high - 1)


def _panels(found: Found) -> Iterator[Panel]:
    """A panel for each way, all on one scale, so that they can be compared."""
    values = [x for way in found.ways for one in way.effects for x in _percent(one)]
    up = axis(values, "% from the mean of all layouts", 6)
    several = len({way.at for way in found.ways if way.at != RANDOM}) > 1
    for n, way in enumerate(one for one in found.ways if one.at != RANDOM):
        title = f"{way.variant}, {way.at}" if several else way.variant
        yield lines(title, [_line(way, n)], _across(way, int(found.layout["cycle"])), up)
    placed = [way for way in found.ways if way.at == RANDOM]
    if placed:
        sideways = axis(values, "% from the mean of all placements", 6)
        yield strips("random placements, a dot each", [_strip(w) for w in placed], sideways, 0.0)


def _line(way: Way, hue: int) -> Line:
    points = []
    for layout, effect in zip(way.layouts, way.effects, strict=True):
        middle, low, high = _percent(effect)
        points.append(Point(layout, (), middle, low, high))
    return Line(period_text(way.period) if way.period else way.variant, hue, points)


def _across(way: Way, cycle: int) -> Axis:
    step = 2 * cycle // _MARKS
    marks = tuple((float(n), str(n)) for n in range(0, 2 * cycle + 1, step))
    return Axis("bytes of padding N", 0.0, float(2 * cycle), False, marks)


def _strip(way: Way) -> Strip:
    dots = [_percent(effect)[0] for effect in way.effects]
    spread = way.spread.deviation
    said = f"±{100 * spread.value:.1f} % [{100 * spread.low:.1f}, {100 * spread.high:.1f}]"
    return Strip(way.variant, said, "plain", "", dots, sorted(dots)[len(dots) // 2], None, None)
