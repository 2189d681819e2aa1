# SPDX-License-Identifier: MIT
"""Which figures show a subject: lines over a parameter where one was varied, strips with a dot for
each window, and distributions where waits were counted by their length."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence

from fencepost.compare.ratios import Ratio
from fencepost.pages.plot_axes import axis, measured_axis
from fencepost.pages.plot_svg import (
    HUES,
    Curve,
    Line,
    Panel,
    Point,
    Strip,
    distributions,
    lines,
    strips,
)
from fencepost.report.content import BIN, Subject, Variant, Work, work_order
from fencepost.report.words import (
    Scale,
    count,
    middle_scale,
    plain,
    said,
    says_unit,
    scale_of,
    spans_units,
    work_words,
)
from fencepost.results.schema import Metric

#: A line needs as many places at least; two are a comparison, which strips show.
_FEWEST_PLACES = 3
#: More lines than these in a panel are not told apart.
_MOST_LINES = 7
#: A parameter with more values than these is shown by its lines alone; the table has each.
_MOST_STRIPS = 8
#: Bins of waits in a factor of ten.
_PER_DECADE = 64
#: A bin's name: of waits of less than a hundred years, whoever wrote it.
_BIN = re.compile(rf"{BIN}(-?\d{{1,3}}|1[01]\d\d)", re.ASCII)
#: A parameter's value that lines are drawn over.
_NUMBER = re.compile(r"\d{1,15}(\.\d{1,6})?", re.ASCII)


def panels(subject: Subject) -> list[Panel]:
    """Panels of everything that was measured of a subject."""
    return [*_distributions(subject), *_lines(subject), *_strips(subject)]


def interval_words(one: Ratio, scale: Scale, unit: bool = False) -> str:
    """A number with its interval."""
    middle = scale.number(one.value, one.spread)
    tail = f" {scale.unit}" if unit and scale.unit else ""
    if one.interval is None:
        return f"{middle}{tail} ({count(one.rounds, 'window')})"
    low, high = (scale.number(end, one.spread) for end in one.interval)
    return f"{middle} [{low}, {high}]{tail}"


def axis_words(metric: Metric, unit: str) -> str:
    """The name of an axis: never without a unit where there is one."""
    if not unit:
        return plain(metric.figure)
    if says_unit(metric):
        return unit
    return f"{plain(metric.figure)} in {unit}"


def best_first(work: Work, metric: Metric) -> list[Variant]:
    def place(variant: Variant) -> tuple[float, str]:
        if variant.estimate is None:
            return math.inf, variant.name
        sign = -1.0 if metric.better == "higher" else 1.0 if metric.better == "lower" else 0.0
        return sign * variant.estimate.value, variant.name

    return sorted(work.variants, key=place)


def _strips(subject: Subject) -> Iterator[Panel]:
    groups = _by_parameter(subject)[1].values()
    shown = {work.name for some in groups if len(some) > _MOST_STRIPS for work in some}
    for work in subject.works:
        if work.name in shown:
            continue
        measured = [one for one in best_first(work, subject.metric) if one.estimate]
        values = [value for one in measured for value in one.figures if math.isfinite(value)]
        if not values:
            continue
        scale = middle_scale(values, subject.metric.unit)
        said_in = None if spans_units(values) else scale
        rows = [_strip(one, subject, scale, said_in) for one in measured]
        drawn = [value for row in rows for value in (*row.dots, row.low, row.high) if value]
        name = axis_words(subject.metric, scale.unit)
        reference = work.variant(subject.reference or "")
        level = reference.estimate.value / scale.divisor if reference and reference.estimate else 0
        title = work_words(work.name) or plain(subject.name)
        yield strips(title, rows, axis(drawn or [0.0], name), level or None)


def _strip(one: Variant, subject: Subject, scale: Scale, said_in: Scale | None) -> Strip:
    """`said_in`: the scale of its numbers, None for one of their own."""
    assert one.estimate
    is_reference = one.name == subject.reference
    kind, mark = "reference" if is_reference else "plain", "●" if is_reference else ""
    if one.comparison:
        verdict = said(one.comparison)
        kind, mark = verdict.kind, verdict.mark
    estimate = one.estimate
    own = scale_of([estimate.value], subject.metric.unit)
    return Strip(
        one.name,
        interval_words(estimate, said_in or own, unit=said_in is None),
        kind,
        mark,
        [value / scale.divisor for value in one.figures if math.isfinite(value)],
        estimate.value / scale.divisor,
        *_scaled_ends(estimate, scale),
    )


def _varied(works: Sequence[Work]) -> str | None:
    """The parameter that lines are drawn over: threads before others, then what has most values."""
    values: dict[str, set[str]] = {}
    for work in works:
        for name, value in work.parameters.items():
            if _NUMBER.fullmatch(value):
                values.setdefault(name, set()).add(value)
    enough = [name for name, found in values.items() if len(found) >= _FEWEST_PLACES]
    return max(enough, key=lambda name: (name == "threads", len(values[name]), name), default=None)


def _by_parameter(subject: Subject) -> tuple[str, dict[str, list[Work]]]:
    """The parameter that lines are drawn over, and by the rest of their names the works of each
    figure of lines."""
    parameter = _varied(subject.works)
    if parameter is None:
        return "", {}
    groups: dict[str, list[Work]] = {}
    for work in subject.works:
        if _NUMBER.fullmatch(work.parameters.get(parameter, "")):
            rest = [part for part in work.name.split("/") if not part.startswith(f"{parameter}:")]
            groups.setdefault("/".join(rest), []).append(work)
    return parameter, {n: some for n, some in groups.items() if len(some) >= _FEWEST_PLACES}


def _lines(subject: Subject) -> Iterator[Panel]:
    parameter, groups = _by_parameter(subject)
    hues = _hues(subject)
    for name in sorted(groups, key=work_order):
        yield from _line_panels(subject, name, groups[name], parameter, hues)


def _hues(subject: Subject) -> dict[str, int]:
    """Hue of each variant: the reference's is its own, the others' differ within a panel."""
    if not subject.works:
        return {}
    last = subject.works[-1]
    order = [one.name for one in best_first(last, subject.metric)]
    order += [v.name for work in subject.works for v in work.variants if v.name not in order]
    others = [name for name in dict.fromkeys(order) if name != subject.reference]
    hues = {name: 1 + n % (HUES - 1) + HUES * (n // (HUES - 1)) for n, name in enumerate(others)}
    return {**({} if subject.reference is None else {subject.reference: 0}), **hues}


def _line_panels(
    subject: Subject, name: str, works: Sequence[Work], parameter: str, hues: dict[str, int]
) -> Iterator[Panel]:
    figures = [v for work in works for one in work.variants for v in one.figures]
    scale = middle_scale(figures, subject.metric.unit)
    curves = []
    for who, hue in sorted(hues.items(), key=lambda item: item[1]):
        points = list(_points(works, who, parameter, scale))
        if points:
            curves.append(Line(who, hue, points))
    if not curves:
        return
    drawn = [
        value
        for curve in curves
        for point in curve.points
        for value in (*point.dots, point.low, point.high)
        if value
    ]
    x = measured_axis([point.place for curve in curves for point in curve.points], parameter)
    y = axis(drawn, axis_words(subject.metric, scale.unit))
    first = [curve for curve in curves if curve.name == subject.reference]
    others = [curve for curve in curves if curve.name != subject.reference]
    number = max(1, math.ceil(len(others) / _MOST_LINES))
    size = math.ceil(len(others) / number)
    title = f"{work_words(name) or plain(subject.name)}, by {plain(parameter)}"
    for n in range(number):
        part = f" ({n + 1} of {number})" if number > 1 else ""
        yield lines(title + part, first + others[n * size : (n + 1) * size], x, y)


def _points(works: Sequence[Work], who: str, parameter: str, scale: Scale) -> Iterator[Point]:
    for work in sorted(works, key=lambda one: float(one.parameters[parameter])):
        variant = work.variant(who)
        if variant is None or variant.estimate is None:
            continue
        one = variant.estimate
        yield Point(
            float(work.parameters[parameter]),
            [value / scale.divisor for value in variant.figures if math.isfinite(value)],
            one.value / scale.divisor,
            *_scaled_ends(one, scale),
        )


def _scaled_ends(one: Ratio, scale: Scale) -> tuple[float, float] | tuple[None, None]:
    """The ends of its interval, where it has one."""
    if one.interval is None:
        return None, None
    low, high = one.interval
    return low / scale.divisor, high / scale.divisor


def _distributions(subject: Subject) -> Iterator[Panel]:
    """What share of waits took longer than so long: the tail, which means do not show."""
    hues = _hues(subject)
    found: dict[str, list[Curve]] = {}
    for work in subject.works:
        for variant in sorted(work.variants, key=lambda one: hues[one.name]):
            rounds = [bins for window in variant.windows if (bins := _bins(window.figures))]
            if rounds:
                found.setdefault(work.name, []).append(
                    Curve(
                        variant.name,
                        hues[variant.name],
                        _longer(_together(rounds)),
                        [_longer(bins) for bins in rounds],
                    )
                )
    for work_name, curves in found.items():
        points = [point for curve in curves for point in curve.points]
        scale = middle_scale([time for time, _ in points], "ns")
        scaled = [_scaled(curve, scale) for curve in curves]
        x = axis([p[0] for curve in scaled for p in curve.points], f"time in {scale.unit}", 4)
        y = axis([point[1] for point in points], "share of waits that take longer")
        title = work_words(work_name) or plain(subject.name)
        number = math.ceil(len(scaled) / _MOST_LINES)
        for n in range(number):
            part = f" ({n + 1} of {number})" if number > 1 else ""
            some = scaled[n * _MOST_LINES : (n + 1) * _MOST_LINES]
            yield distributions(title + part, some, x, y)


def _bins(figures: Mapping[str, float]) -> dict[int, float]:
    return {
        int(found[1]): value
        for name, value in figures.items()
        if (found := _BIN.fullmatch(name)) and 0 < value < math.inf
    }


def _together(rounds: Sequence[dict[int, float]]) -> dict[int, float]:
    """Each round counts the same."""
    found: dict[int, float] = {}
    for bins in rounds:
        number = sum(bins.values())
        for place, value in bins.items():
            found[place] = found.get(place, 0.0) + value / number / len(rounds)
    return found


def _longer(bins: dict[int, float]) -> list[tuple[float, float]]:
    """The share that took longer, by nanoseconds; the last point is that of the longest."""
    left = total = sum(bins.values())
    points = []
    for place in sorted(bins):
        points.append((10 ** (place / _PER_DECADE), left / total))
        left -= bins[place]
    return points


def _scaled(curve: Curve, scale: Scale) -> Curve:
    def one(points: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
        return [(x / scale.divisor, y) for x, y in points]

    return Curve(curve.name, curve.hue, one(curve.points), [one(r) for r in curve.rounds])
