# SPDX-License-Identifier: MIT
"""Results in a short form, to be committed: the kept windows, and of each the figures that some
claim is about."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from fencepost.results.schema import Measured, Window
from fencepost.runners.claims.groups import GROUPS
from fencepost.system.whole_file import write_whole

#: What is told of every window that has it.
ALWAYS = ("fairness",)


def figures_wanted() -> dict[tuple[str, str, str], set[str | None]]:
    """By (subject, work, variant); None is the subject's first."""
    wanted: dict[tuple[str, str, str], set[str | None]] = defaultdict(set)
    for claim in (claim for group in GROUPS for claim in group.claims):
        for test in claim.tests:
            for variant in (test.one, test.other):
                wanted[test.subject, test.work, variant].add(test.metric)
        for figure in claim.figures:
            wanted[figure.subject, figure.work, figure.variant].add(figure.metric)
    return wanted


def lines(measured: Measured) -> Iterator[dict[str, Any]]:
    """Yield the lines of the short form for claims that are put to the test by comparisons."""
    wanted = figures_wanted()
    for run in measured.runs.values():
        windows = [window for window in measured.windows if window.run == run.id]
        subjects = {window.subject for window in windows}
        metrics = {name: some for name, some in run.metrics.items() if name in subjects}
        discarded = sum(not window.kept for window in windows)
        facts = {**run.facts, "discarded": discarded}
        yield replace(run, metrics=metrics, facts=facts).to_json()
        for window in windows:
            place = (window.subject, window.work, window.variant)
            if not window.kept or place not in wanted:
                continue
            first = metrics[window.subject][0].figure
            names = {first, *ALWAYS} | {name for name in wanted[place] if name}
            yield replace(window, figures=shortened(window, names)).to_json()


def lines_of_layout(measured: Measured) -> Iterator[dict[str, Any]]:
    """Yield the short form for code placement: every kept window, and its first figure."""
    for run in measured.runs.values():
        discarded = sum(w.run == run.id and not w.kept for w in measured.windows)
        yield replace(run, facts={**run.facts, "discarded": discarded}).to_json()
        for window in measured.windows:
            if window.run == run.id and window.kept:
                names = {run.metrics[window.subject][0].figure}
                yield replace(window, figures=shortened(window, names)).to_json()


def shortened(window: Window, names: Collection[str]) -> dict[str, float]:
    return {name: float(f"{value:.6g}") for name, value in window.figures.items() if name in names}


def save(lines: Iterable[dict[str, Any]], path: Path) -> None:
    text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    write_whole(path, text)
