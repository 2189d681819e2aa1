# SPDX-License-Identifier: MIT
"""What the page of the documentation says of these figures, between its marks."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from pathlib import Path

from fencepost import ROOT
from fencepost.report.text_table import table
from fencepost.runners.atomics.documents import MARKED
from fencepost.runners.latency.claims import claim_rows
from fencepost.runners.latency.figures import where
from fencepost.runners.latency.pieces import STRATEGIES, SURROUNDINGS
from fencepost.runners.latency.samples import quantile, samples_of, time_said
from fencepost.runners.latency.saved import Saved
from fencepost.system.whole_file import write_whole

PAGE = ROOT / "docs" / "design" / "barrier_latency.md"
CLAIMS_HEADER = (
    "claim",
    "faster",
    "slower",
    "measured [95 % interval]",
    "by pairs, level 10⁻¹²",
    "shortfall",
    "here",
)


def say_where(found: Saved) -> list[str]:
    rounds = [len(windows) for windows in found.windows.figures.values()] or [0]
    run = found.runs[-1] if found.runs else {}
    days = sorted({str(one.get("started", ""))[:10] for one in found.runs})
    beside = ""
    if found.others:
        beside = (
            f" Other processes used {100 * statistics.median(found.others):.0f} % of a "
            f"processor in the median window, {100 * max(found.others):.0f} % in the "
            "worst."
        )
    return [
        f"{where(found)}, {run.get('compiler', '?')}; {', '.join(days)}; {min(rounds)} to "
        f"{max(rounds)} rounds.{beside}",
        "",
    ]


def say_quantiles(found: Saved, key: str) -> list[str]:
    rows = []
    for strategy in STRATEGIES:
        samples = samples_of(found.windows, key, strategy.heavy)
        if samples is None:
            continue
        at = [time_said(quantile(samples.share, q)) for q in (0.5, 0.9, 0.99, 0.999)]
        all_of_them = samples.number + samples.not_running
        rows.append(
            [
                strategy.name,
                f"{samples.number:,}",
                *at,
                time_said(samples.most),
                percent_left_out(samples.not_running / all_of_them),
            ]
        )
    header = ("strategy", "waits", "median", "90 %", "99 %", "99.9 %", "longest", "left out")
    return [*table(header, rows), ""] if rows else []


def percent_left_out(part: float) -> str:
    return f"{100 * part:.2f} %"


def say_running(found: Saved) -> list[str]:
    """How much of their processors those beside the waiter had."""
    lines = []
    for surroundings in SURROUNDINGS[1:]:
        all_of_them = [samples_of(found.windows, surroundings.key, s.heavy) for s in STRATEGIES]
        there = [samples for samples in all_of_them if samples is not None]
        if not there:
            continue
        readers = [samples.reader_share for samples in there]
        load = [samples.load_share for samples in there]
        had = f"{100 * min(readers):.1f} to {100 * max(readers):.1f} % of their processors"
        beside = f", the load {100 * min(load):.1f} to {100 * max(load):.1f} %"
        lines.append(
            f"* {surroundings.name}: the readers had {had}"
            + (beside if surroundings.key == "loaded" else "")
        )
    return [*lines, ""] if lines else []


def say_claims(found: Saved) -> list[str]:
    rows = list(claim_rows(found))
    return [*table(CLAIMS_HEADER, rows), ""] if rows else []


SAID: dict[str, Callable[[Saved], Sequence[str]]] = {
    "where": say_where,
    "running": say_running,
    "claims": say_claims,
    **{
        f"quantiles, {one.key}": lambda found, key=one.key: say_quantiles(found, key)  # type: ignore[misc]
        for one in SURROUNDINGS
    },
}


def print_tables(found: Saved) -> None:
    for name, say in SAID.items():
        lines = say(found)
        if lines:
            print(name, "", *lines, sep="\n")


def rewrite(found: Saved, page: Path = PAGE) -> None:
    """Puts these figures into the page."""

    def said(marked: object) -> str:
        name = marked[1]  # type: ignore[index]
        inner = "\n".join(SAID[name](found) or ["Not measured yet.", ""])
        return f"<!-- figures: {name} -->\n{inner}\n<!-- end of figures -->\n"

    write_whole(page, MARKED.sub(said, page.read_text()))
