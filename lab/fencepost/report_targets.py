# SPDX-License-Identifier: MIT
"""Whether our figures meet their targets: by the posterior distributions of `fencepost compare`."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from fencepost.bench_targets import TARGETS, Target
from fencepost.compare_posterior import FEWEST_ROUNDS, Posterior, location
from fencepost.compare_report import SHARE
from fencepost.compare_select import Wanted, pairs_of_variants
from fencepost.compare_verdict import Rope, compare
from fencepost.input_error import UnusableInput
from fencepost.report_content import Subject
from fencepost.report_words import plain, work_words
from fencepost.results_schema import Window

MET, MISSED, OPEN = "met", "missed", "not known"


@dataclass(frozen=True)
class Judged:
    """A target with what was measured: the figure, or its ratio to the peer's."""

    target: Target
    middle: float
    low: float
    high: float
    #: That the bound is kept.
    probability: float
    verdict: str

    @property
    def what(self) -> str:
        target = self.target
        figure = f", {plain(target.figure)}" if target.figure else ""
        beyond = f", beyond {plain(target.beyond)}" if target.beyond else ""
        return work_words(target.work) + figure + beyond

    @property
    def wanted(self) -> str:
        sign = "≥" if self.target.at_least else "≤"
        return f"{sign} {self.target.bound:g}{f' × {self.target.peer}' if self.target.peer else ''}"


def judge_targets(
    subject: Subject, certainty: float, targets: Iterable[Target] = TARGETS
) -> list[Judged]:
    """Those of the subject for which there are enough windows. Each is judged by itself."""
    return list(_judged(subject, certainty, targets))


def _judged(subject: Subject, certainty: float, targets: Iterable[Target]) -> Iterator[Judged]:
    for target in targets:
        if target.subject != subject.name:
            continue
        found = _posterior(subject, target)
        if found is None:
            continue
        posterior, is_ratio = found
        bound = math.log(target.bound) if is_ratio else target.bound
        below = posterior.below(bound)
        probability = 1 - below if target.at_least else below
        verdict = OPEN
        if probability >= certainty:
            verdict = MET
        elif probability <= 1 - certainty:
            verdict = MISSED
        ends = (posterior.median, *posterior.interval(SHARE))
        if is_ratio:
            ends = tuple(math.exp(min(end, 700)) for end in ends)  # type: ignore[assignment]
        yield Judged(target, ends[0], ends[1], ends[2], probability, verdict)


def _posterior(subject: Subject, target: Target) -> tuple[Posterior, bool] | None:
    """Of the logarithm of a ratio, or of a figure as it is."""
    figure = target.figure or subject.metric.figure
    work = next((one for one in subject.works if one.name == target.work), None)
    ours = work.variant(target.ours) if work else None
    if work is None or ours is None:
        return None
    if target.peer is None:
        values = [w.figures[figure] for w in ours.windows if figure in w.figures]
        if len(values) < FEWEST_ROUNDS:
            return None
        return location(values), False
    windows = [one for variant in work.variants for one in variant.windows]
    if target.beyond:
        windows = _less(windows, target.beyond, figure)
    try:
        here = replace(subject.measured, windows=windows, failures=[], remarks=[])
        pair = pairs_of_variants(here, [target.ours, target.peer], Wanted(metric=figure))[0]
        return compare(pair, Rope(0.01), 0.95).posterior, True
    except UnusableInput:
        return None


def _less(windows: list[Window], base: str, figure: str) -> list[Window]:
    """Each window's figure less that of the base in the same round."""
    bases = {(w.run, w.round): w.figures[figure] for w in windows
             if w.variant == base and figure in w.figures}  # fmt: skip
    return [
        replace(w, figures={figure: w.figures[figure] - bases[w.run, w.round]})
        for w in windows
        if w.variant != base and figure in w.figures and (w.run, w.round) in bases
    ]
