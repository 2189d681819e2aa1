# SPDX-License-Identifier: MIT
"""What layouts do, for people and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from fencepost.layout.analysis import (
    EQUAL,
    HIDDEN,
    LAYOUT,
    REAL,
    SIGNIFICANCE,
    UNKNOWN,
    Estimate,
    Period,
)
from fencepost.layout.findings import RANDOM, Compared, Found, Way

_VERDICTS = {
    LAYOUT: "layout explains it",
    REAL: "layout does not explain it",
    HIDDEN: "the layout that the compiler chose hides what they differ by",
    EQUAL: "practically equal, whatever the layout",
    UNKNOWN: "these layouts and rounds cannot tell",
}


def _short(value: float) -> str:
    return f"{value:.0f}" if abs(value) >= 9.95 else f"{value:.2g}"


def percent(ratio: float) -> str:
    """How far a ratio is from 1."""
    off = 100 * (ratio - 1)
    return f"{'+' if off > 0 else ''}{_short(off)} %"


def _interval(estimate: Estimate) -> str:
    return f"{percent(estimate.value)} [{percent(estimate.low)}, {percent(estimate.high)}]"


def _share(estimate: Estimate) -> str:
    value, low, high = (_short(100 * x) for x in (estimate.value, estimate.low, estimate.high))
    return f"{value} % [{low}, {high}]"


def probability(p: float) -> str:
    return "p < 0.001" if p < 0.001 else f"p = {p:.2g}"


def period_text(period: Period) -> str:
    """Whether time(N) has a period, and how sure that is."""
    if period.length == 0:
        return f"no effect of the padding seen ({probability(period.p[0])})"
    if period.length is None:
        return f"no period of {max(period.p)} bytes or less"
    return f"repeats itself every {period.length} bytes"


def way_title(at: str, found: Found) -> str:
    function, loop = found.layout.get("function"), found.layout.get("loop")
    return {
        "entry": f"nops at the entry of {function}",
        "function": f"padding before {function}",
        "loop": f"padding before {f'loop {loop}' if loop else 'the longest loop'} of {function}",
        RANDOM: "random placements",
    }[at]


def report(found: Sequence[Found], everything: bool) -> Iterator[str]:
    """Lines of text; `everything`: with every layout's figure."""
    for one in found:
        rounds = min(way.spread.rounds for way in one.ways)
        title = " ".join(part for part in (one.subject, one.benchmark) if part)
        yield f"{title}: {one.metric.figure}; {rounds} rounds in turns"
        if one.discarded:
            yield f"{one.discarded} windows were disturbed and measured again"
        for at in dict.fromkeys(way.at for way in one.ways):
            ways = [way for way in one.ways if way.at == at]
            yield ""
            yield f"{way_title(at, one)}: {len(ways[0].layouts)} layouts"
            yield from _ways(ways, one)
            compared = [pair for pair in one.compared if pair.at == at]
            if compared:
                yield ""
                yield from _compared(compared)
            if everything:
                yield ""
                yield from _effects(ways)
        yield ""
    yield (
        "brackets: 95 % intervals; a period is named where every shorter one is refuted "
        f"(p ≤ {SIGNIFICANCE:g} each)"
    )


def _ways(ways: Sequence[Way], found: Found) -> Iterator[str]:
    header = [
        "variant",
        "typical",
        "layout moves it by",
        "extremes",
        "of the variance",
        "as compiled",
        "",
    ]
    rows = []
    for way in ways:
        spread = way.spread
        said = (
            period_text(way.period) if way.period else f"{probability(way.p_alike)} for no effect"
        )
        rows.append(
            [
                way.variant,
                f"{way.typical:.4g} {found.metric.unit}".rstrip(),
                f"±{_share(spread.deviation)}",
                percent(spread.extremes),
                _share(spread.share),
                _interval(way.as_compiled) if way.as_compiled else "",
                said,
            ]
        )
    yield from _table(header, rows)


def _compared(pairs: Sequence[Compared]) -> Iterator[str]:
    header = ["a over b", "as compiled", "over all layouts", "layout alone", "a above b", ""]
    rows = []
    for one in pairs:
        difference = one.difference
        rows.append(
            [
                f"{one.one} over {one.other}",
                _interval(difference.as_compiled) if difference.as_compiled else "",
                _interval(difference.over_layouts),
                f"±{_short(100 * difference.layout_alone)} %",
                f"{100 * difference.above:.0f} %",
                _VERDICTS[difference.verdict],
            ]
        )
    yield from _table(header, rows)


def _effects(ways: Sequence[Way]) -> Iterator[str]:
    name = "placement" if ways[0].at == RANDOM else "padding"
    by_way = [dict(zip(way.layouts, way.effects, strict=True)) for way in ways]
    rows = [
        [str(layout), *(_interval(one[layout]) if layout in one else "" for one in by_way)]
        for layout in sorted({layout for way in ways for layout in way.layouts})
    ]
    yield from _table([name, *(way.variant for way in ways)], rows)


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    widths = [max(len(row[n]) for row in [header, *rows]) for n in range(len(header))]
    for row in [header, ["-" * width for width in widths], *rows]:
        yield "| " + " | ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)) + " |"


def as_json(found: Found) -> dict[str, Any]:
    """One object a program and benchmark. Effects and differences are ratios."""
    return {
        "subject": found.subject,
        "benchmark": found.benchmark,
        "figure": found.metric.figure,
        "unit": found.metric.unit,
        "layout": dict(found.layout),
        "discarded": found.discarded,
        "ways": [_way_json(way) for way in found.ways],
        "compared": [
            {"one": one.one, "other": one.other, "at": one.at, **asdict(one.difference)}
            for one in found.compared
        ],
    }


def _way_json(way: Way) -> dict[str, Any]:
    whole = asdict(way)
    if way.period:
        whole["period"] = {
            "bytes": way.period.length,
            "p": {str(length): p for length, p in way.period.p.items()},
        }
    return whole
