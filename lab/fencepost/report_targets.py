# SPDX-License-Identifier: MIT
"""Whether our figures meet their targets: judged as the tables of `fencepost bench` do."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from fencepost.bench_ratios import Ratio
from fencepost.bench_results import windows_of
from fencepost.bench_tables import measured_beside
from fencepost.bench_targets import TARGETS, Target
from fencepost.report_content import Subject
from fencepost.report_words import plain, work_words

MET, MISSED, OPEN = "met", "missed", "not known"
#: What a table of `fencepost bench` says to it; anything else is not known.
_VERDICTS = {"yes": MET, "no": MISSED}


@dataclass(frozen=True)
class Judged:
    """A target with what was measured: the figure, or its ratio to the peer's."""

    target: Target
    measured: Ratio
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
    """Those of the subject of which something was measured. Each is judged by itself."""
    windows = windows_of(subject.measured)
    found = []
    for target in targets:
        if target.subject != subject.name:
            continue
        figure = target.figure or subject.metric.figure
        measured = measured_beside(windows, target, figure)
        judged = measured_beside(windows, target, figure, certainty)
        if measured and judged:
            verdict = judged.verdict(target.bound, target.at_least)
            found.append(Judged(target, measured, _VERDICTS.get(verdict, OPEN)))
    return found
