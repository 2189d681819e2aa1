# SPDX-License-Identifier: MIT
"""What layouts do, for people and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from fencepost.layout_analysis import (
    EQUAL,
    HIDDEN,
    LAYOUT,
    REAL,
    SIGNIFICANCE,
    UNKNOWN,
    Estimate,
    Period,
)
from fencepost.layout_findings import RANDOM, Compared, Found, Way

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
    shorter = [p for length, p in period.p.items() if length != period.length]
    if period.length == 0:
        return f"no effect of the padding was seen ({probability(period.p[0])})"
    refuted = f"shorter periods are refuted, {probability(max(shorter, default=0.0))} at most"
    if period.length is None:
        longest = max(period.p)
        return (
            f"time(N) has no period of {longest} bytes or less ({probability(period.p[longest])})"
        )
    return f"time(N) repeats itself every {period.length} bytes ({refuted})"


def way_title(at: str, found: Found) -> str:
    function, loop = found.layout.get("function"), found.layout.get("loop")
    return {
        "entry": f"nops at the entry of {function}",
        "function": f"padding before {function}",
        "loop": f"padding before {f'loop {loop}' if loop else 'the longest loop'} of {function}",
        RANDOM: "random placements (order of functions and objects, paddings, depth of the stack)",
    }[at]


def report(found: Sequence[Found], everything: bool) -> Iterator[str]:
    """Lines of text; `everything`: with every layout's figure."""
    for one in found:
        rounds = min(way.spread.rounds for way in one.ways)
        title = " ".join(part for part in (one.subject, one.benchmark) if part)
        yield f"{title}: {one.metric.figure}; {rounds} rounds in turns"
        if one.discarded:
            yield f"  {one.discarded} windows were disturbed and measured again"
        for at in dict.fromkeys(way.at for way in one.ways):
            ways = [way for way in one.ways if way.at == at]
            yield f"  {way_title(at, one)}: {len(ways[0].layouts)} layouts"
            width = max(len(way.variant) for way in ways)
            for way in ways:
                yield from _way(way, one, width, everything)
            for compared in one.compared:
                if compared.at == at:
                    yield from _compared(compared)
        yield ""
    yield (
        "± and brackets: 95 % intervals. A period is reported where every shorter one is refuted "
        f"with p ≤ {SIGNIFICANCE:g} each, by exchanging figures within rounds."
    )


def _way(way: Way, found: Found, width: int, everything: bool) -> Iterator[str]:
    spread = way.spread
    typical = f"{way.typical:.4g} {found.metric.unit}".rstrip()
    yield (
        f"    {way.variant:{width}}  {typical}; layout alone moves it "
        f"by {_share(spread.deviation)} (standard deviation), {percent(spread.extremes)} from one "
        f"extreme to the other; {_share(spread.share)} of the variance between builds"
    )
    indent = " " * (width + 6)
    if way.period:
        yield f"{indent}{period_text(way.period)}"
    else:
        yield f"{indent}that no layout differs from another: {probability(way.p_alike)}"
    if way.as_compiled:
        yield f"{indent}as compiled: {_interval(way.as_compiled)} of the mean over layouts"
    if everything:
        for layout, effect in zip(way.layouts, way.effects, strict=True):
            yield f"{indent}{layout:5}  {_interval(effect)}"


def _compared(one: Compared) -> Iterator[str]:
    difference = one.difference
    told = ""
    if difference.as_compiled:
        told = f"{_interval(difference.as_compiled)} where the compiler placed them, "
    yield (
        f"    {one.one} over {one.other}: {told}{_interval(difference.over_layouts)} over all "
        f"layouts; layout alone: ±{_short(100 * difference.layout_alone)} %; above in "
        f"{100 * difference.above:.0f} % of pairs of layouts: {_VERDICTS[difference.verdict]}"
    )


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
