# SPDX-License-Identifier: MIT
"""Durations, amounts and tables as the statistics of locks show them."""

from __future__ import annotations

from collections.abc import Sequence

from fencepost.console.progress import duration
from fencepost.profile.counts import Bounds

_UNITS = ((1e9, "s"), (1e6, "ms"), (1e3, "µs"), (1.0, "ns"))


def span(nanoseconds: float) -> str:
    """Three digits and a unit."""
    if nanoseconds >= 60e9:
        return duration(nanoseconds / 1e9)
    for scale, unit in _UNITS:
        if nanoseconds >= scale * 0.9995 or scale == 1.0:
            value = nanoseconds / scale
            digits = 0 if value >= 99.95 or scale == 1.0 else 1 if value >= 9.995 else 2
            return f"{value:.{digits}f} {unit}"
    raise AssertionError


def at_most(bounds: Bounds | None) -> str:
    """The upper bound of a quantile, which is all that a histogram can vouch for."""
    if bounds is None:
        return "-"
    return span(bounds.high) if bounds.high is not None else f"over {span(bounds.low)}"


def short(number: float) -> str:
    """1234567 in at most five letters: 1.23M."""
    if number < 9999.5:
        return f"{number:.0f}" if number >= 99.95 or number == int(number) else f"{number:.3g}"
    for scale, letter in ((1e3, "k"), (1e6, "M"), (1e9, "G"), (1e12, "T")):
        value = number / scale
        if value < 999.5 or letter == "T":
            return f"{value:.{0 if value >= 99.95 else 1 if value >= 9.995 else 2}f}{letter}"
    raise AssertionError


def percent(part: float, whole: float) -> str:
    if whole <= 0:
        return "-"
    share = 100 * part / whole
    return f"{share:.0f} %" if share >= 9.5 or share == 0 else f"{share:.1f} %"


def cut(text: str, width: int) -> str:
    """What fits; an ellipsis in the middle, for names differ at their ends."""
    if width <= 0 or len(text) <= width:
        return text if width > 0 else ""
    tail = width // 2
    return f"{text[: width - 1 - tail]}…{text[len(text) - tail :]}"


def table(rows: Sequence[Sequence[str]], width: int | None) -> list[str]:
    """Lines: columns right-aligned but for the last one, which gets the room that is left; None:
    as much as it needs. The first row is the heading."""
    columns = [max(map(len, column)) for column in list(zip(*rows, strict=True))[:-1]]
    lines = []
    for row in rows:
        start = "  ".join(cell.rjust(wide) for cell, wide in zip(row, columns, strict=False))
        start = f"{start}  " if columns else ""
        last = row[-1] if width is None else cut(row[-1], width - len(start))
        lines.append(f"{start}{last}"[:width].rstrip())
    return lines
