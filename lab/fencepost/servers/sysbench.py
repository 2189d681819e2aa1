# SPDX-License-Identifier: MIT
"""What sysbench prints, where it is a load generator or itself what is measured."""

from __future__ import annotations

import re
from collections.abc import Sequence

from fencepost.measure.watched import Failed

#: A line of its histogram: a latency in ms, a bar, and how many events had it.
_BIN = re.compile(r"^[ \t]*([\d.]+) \|\**[ \t]+(\d+)[ \t\r]*$", re.MULTILINE)


def latencies(output: str, shares: Sequence[float]) -> list[float]:
    """Percentiles in ms, of its histogram. Raises Failed."""
    bins = [(float(value), int(count)) for value, count in _BIN.findall(output)]
    every = sum(count for _, count in bins)
    if not every:
        raise Failed("sysbench printed no histogram")
    found = []
    for share in shares:
        seen = 0
        for value, count in bins:
            seen += count
            if seen >= share * every:
                found.append(value)
                break
    return found
