# SPDX-License-Identifier: MIT
"""How numbers, names and verdicts are written in a report."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from fencepost.compare.verdict import EQUAL, HIGHER, LOWER, UNKNOWN, Comparison
from fencepost.results.schema import Metric

#: What takes time, and the factor to the next larger unit.
_TIMES = ("ns", "µs", "ms", "s")
_LETTERS = ((1e9, "G"), (1e6, "M"), (1e3, "k"))
#: What a reader takes in; further digits would be noise even where the interval is narrower.
_MOST_DIGITS = 5


@dataclass(frozen=True)
class Scale:
    """What figures are divided by, and the unit that they then have."""

    divisor: float
    unit: str

    def number(self, value: float, spread: float = 0.0) -> str:
        """The number with as many digits as `spread`, the half width of its interval, leaves
        meaning to."""
        return digits(value / self.divisor, spread / self.divisor)


def scale_of(values: Iterable[float], unit: str) -> Scale:
    """Scale for figures that stand beside each other, chosen by the largest."""
    most = max((abs(value) for value in values if math.isfinite(value)), default=0.0)
    if unit in _TIMES:
        place = _TIMES.index(unit)
        divisor = 1.0
        while most / divisor >= 1e4 and place + 1 < len(_TIMES):
            divisor, place = divisor * 1e3, place + 1
        return Scale(divisor, _TIMES[place])
    for divisor, letter in _LETTERS:
        if most >= 1e4 and most >= divisor:
            return Scale(divisor, f"{letter} {unit}".rstrip())
    return Scale(1.0, unit)


def spans_units(values: Iterable[float]) -> bool:
    """Whether no one unit suits all of them: then each has its own."""
    usable = [value for value in values if math.isfinite(value)]
    return bool(usable) and min(usable) > 0 and max(usable) / min(usable) > 2e3


def middle_scale(values: Iterable[float], unit: str) -> Scale:
    """The scale of an axis: by the largest value, or by the middle where no one unit suits all."""
    usable = [value for value in values if math.isfinite(value)]
    if spans_units(usable):
        return scale_of([math.sqrt(min(usable) * max(usable))], unit)
    return scale_of(usable, unit)


def digits(value: float, spread: float = 0.0) -> str:
    """Two digits of the spread, and of the value as many as belong to them; four without one."""
    if not math.isfinite(value):
        return "∞" if value > 0 else "−∞" if value < 0 else "no number"
    if value == 0:
        return "0"
    size = math.floor(math.log10(abs(value)))
    places = 3 - size
    if spread > 0:
        places = min(1 - math.floor(math.log10(spread)), _MOST_DIGITS - 1 - min(size, 0))
        places = min(places, _MOST_DIGITS - 1 - size) if size > 0 else places
    if places > 6 or abs(value) >= 1e9:
        return f"{value:.3g}".replace("-", "−")
    return f"{value:,.{max(places, 0)}f}".replace("-", "−")


def plain(name: str) -> str:
    """A name of a program as words."""
    return name.replace("_", " ")


def work_words(work: str) -> str:
    """short_section/threads:8 as "short section, threads 8"."""
    return ", ".join(plain(part).replace(":", " ") for part in work.split("/") if part)


def says_unit(metric: Metric) -> bool:
    """Whether the figure's name is its unit: items_per_second, nanoseconds."""
    return metric.figure == "nanoseconds" or (
        metric.figure.endswith("_per_second") and metric.unit.endswith("/s")
    )


def metric_words(metric: Metric) -> str:
    better = f", {metric.better} is better" if metric.better else ""
    unit = f" in {metric.unit}" if metric.unit and not says_unit(metric) else ""
    return f"{plain(metric.figure)}{unit}{better}"


#: The verdicts as a report has them, from good to bad; the second is the class of its style.
MARKS = {"good": "▲", "bad": "▼", "equal": "≈", "unknown": "?", "differs": "◆"}


@dataclass(frozen=True)
class VerdictText:
    """A verdict: its words, and its kind, which is one of MARKS."""

    words: str
    kind: str

    @property
    def mark(self) -> str:
        return MARKS[self.kind]


def said(comparison: Comparison) -> VerdictText:
    """Verdict on the first side beside the other, in a reader's words."""
    if comparison.verdict == EQUAL:
        return VerdictText("practically equal", "equal")
    if comparison.verdict == UNKNOWN:
        return VerdictText("not distinguishable", "unknown")
    metric = comparison.pair.one.metric
    if metric.better not in (HIGHER, LOWER):
        return VerdictText(comparison.verdict, "differs")
    good = comparison.verdict == metric.better
    if metric.unit in _TIMES or metric.unit.endswith("/s"):
        return VerdictText("faster" if good else "slower", "good" if good else "bad")
    return VerdictText("better" if good else "worse", "good" if good else "bad")


def count(number: int, what: str) -> str:
    """1 window, 2 windows."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"
