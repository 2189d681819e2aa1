# SPDX-License-Identifier: MIT
"""Axes of figures: where a value lies, and where the marks are. Linear axes begin at zero, so that
lengths are to be compared; what spans too much for that is logarithmic, and its name says so."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

#: A linear axis that spans more would press the smaller figures together.
MOST_LINEAR = 12.0


@dataclass(frozen=True)
class Axis:
    """An axis: which share of its length a value has, and its marks."""

    name: str
    low: float
    high: float
    logarithmic: bool
    marks: tuple[tuple[float, str], ...]

    def place(self, value: float) -> float:
        """Where on the axis a value lies, from 0 to 1; what lies beyond an end is put there."""
        if self.logarithmic:
            value = max(value, self.low)
            share = math.log(value / self.low) / math.log(self.high / self.low)
        else:
            share = (value - self.low) / (self.high - self.low)
        return min(max(share, 0.0), 1.0)


def axis(values: Sequence[float], name: str, number: int = 5) -> Axis:
    """An axis for all of `values`, with about so many marks."""
    usable = [value for value in values if math.isfinite(value)] or [0.0, 1.0]
    least, most = min(usable), max(usable)
    if least > 0 and most / least > MOST_LINEAR:
        return _logarithmic(least, most, name, number)
    return _linear(min(least, 0.0), max(most, 0.0), name, number)


def _linear(least: float, most: float, name: str, number: int) -> Axis:
    if most == least:
        most = least + 1.0
    step = _step((most - least) / number)
    first, last = math.floor(least / step + 1e-9), math.ceil(most / step - 1e-9)
    # Half a step is enough room above the highest figure.
    high = last * step if most > (last - 0.5) * step else (last - 0.5) * step
    marks = [n * step for n in range(first, last + 1) if n * step <= high * (1 + 1e-9)]
    return Axis(name, first * step, high, False, tuple((mark, label(mark)) for mark in marks))


def _step(rough: float) -> float:
    """1, 2 or 5 times a power of ten, not below `rough`."""
    power = 10.0 ** math.floor(math.log10(rough))
    return next(
        factor * power for factor in (1.0, 2.0, 5.0, 10.0) if factor * power >= rough * (1 - 1e-9)
    )


def _logarithmic(least: float, most: float, name: str, number: int) -> Axis:
    low, high = least / 1.08, most * 1.08
    decades = math.log10(high / low)
    steps: tuple[int, ...] = (1, 2, 5) if decades * 3 <= number + 2 else (1, 3)
    if decades * 2 > number + 2:
        steps = (1,)
    every = max(1, math.ceil(decades / (number + 2)))
    marks = [
        step * 10.0**power
        for power in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
        if power % every == 0
        for step in steps
        if low <= step * 10.0**power <= high
    ]
    said = tuple((mark, label(mark)) for mark in marks)
    return Axis(f"{name}, logarithmic", low, high, True, said)


def measured_axis(places: Sequence[float], name: str) -> Axis:
    """Axis of a parameter that was set. Its marks are where the parameter was. It is logarithmic
    where that was multiplied from one to the next."""
    values = sorted(set(places))
    low, high = values[0], values[-1]
    multiplied = low > 0 and len(values) > 2 and high / low >= 8
    marks = tuple((value, label(value)) for value in values)
    if multiplied:
        room = (high / low) ** 0.06
        return Axis(f"{name}, logarithmic", low / room, high * room, True, marks)
    room = (high - low) * 0.06 or 1.0
    return Axis(name, low - room, high + room, False, marks)


def label(value: float) -> str:
    """Text of a mark on an axis."""
    if value == 0:
        return "0"
    if abs(value) >= 1e5 or abs(value) < 1e-3:  # no more letters than there is room for
        return f"{value:.3g}".replace("e+0", "e").replace("e-0", "e−").replace("-", "−")
    return f"{value:,.10g}".replace("-", "−")
