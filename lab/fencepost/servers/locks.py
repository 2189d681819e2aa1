# SPDX-License-Identifier: MIT
"""What a window of `fencepost run --stats` says of a server's locks, for each request that it
answered (docs/lab/lock_statistics.md)."""

from __future__ import annotations

from pathlib import Path

from fencepost.measure.watched import Failed
from fencepost.results.schema import Metric
from fencepost.system.json_text import in_words, parse_json

METRICS = (
    Metric("lost_ns_each", "ns", "lower"),
    Metric("acquisitions_each", "acquisitions", ""),
    Metric("contended_each", "acquisitions", "lower"),
    Metric("handovers_each", "acquisitions", ""),
    Metric("held_ns_each", "ns", ""),
    # Not of glibc's own locks, which sleep unseen.
    Metric("sleeps_each", "sleeps", "lower"),
)


def lock_figures(file: Path, count: float) -> dict[str, float]:
    """Figures of mutexes, read-write locks and spin locks for each request. The work was `count`
    requests. Raises Failed."""
    try:
        totals = parse_json(file.read_text(errors="replace"))["totals"]
        acquired = totals["acquisitions"] + totals["shared"]
        if not acquired:
            raise Failed("no lock was counted in this window")
        found = {
            # The clock's resolution at least, for what is compared are ratios.
            "lost_ns_each": max(1, totals["waited_ns"]) / count,
            "acquisitions_each": acquired / count,
            "contended_each": totals["contended"] / count,
        }
        # What was not seen of some lock is null.
        for figure in ("handovers", "held_ns", "sleeps"):
            if totals[figure] is not None:
                found[f"{figure}_each"] = totals[figure] / count
    except (OSError, ValueError, KeyError, TypeError, ArithmeticError) as problem:
        raise Failed(f"the statistics of its locks cannot be read: {in_words(problem)}") from None
    return found
