# SPDX-License-Identifier: MIT
"""Whether our figures meet their targets: judged as the tables of `fencepost bench` do."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from fencepost.compare.ratios import Ratio
from fencepost.measure.groups import groups_of
from fencepost.measure.results import windows_of
from fencepost.report.bench_tables import measured_beside
from fencepost.report.bench_targets import TARGETS, Target
from fencepost.report.content import Subject
from fencepost.report.words import plain, work_words

MET, MISSED, OPEN = "met", "missed", "not known"
#: What a table of `fencepost bench` says to it; anything else is not known.
_VERDICTS = {"yes": MET, "no": MISSED}


@dataclass(frozen=True)
class Judged:
    """A target with what was measured: the figure, or its ratio to the peer's."""

    target: Target
    measured: Ratio
    verdict: str
    #: Which runs these are, where others of the same machine are not to be taken with them.
    runs: str = ""

    @property
    def what(self) -> str:
        target = self.target
        figure = f", {plain(target.figure)}" if target.figure else ""
        beyond = f", beyond {plain(target.beyond)}" if target.beyond else ""
        runs = f" ({self.runs})" if self.runs else ""
        return work_words(target.work) + figure + beyond + runs

    @property
    def wanted(self) -> str:
        sign = "≥" if self.target.at_least else "≤"
        return f"{sign} {self.target.bound:g}{f' × {self.target.peer}' if self.target.peer else ''}"


def judge_targets(
    subject: Subject, certainty: float, targets: Iterable[Target] = TARGETS
) -> list[Judged]:
    """Those of the subject of which something was measured. Each is judged by itself."""
    groups = groups_of(subject.measured)
    found = []
    for target in (one for one in targets if one.subject == subject.name):
        figure = target.figure or subject.metric.figure
        for group in groups:
            windows = windows_of(group)
            measured = measured_beside(windows, target, figure)
            judged = measured_beside(windows, target, figure, certainty)
            if measured and judged:
                verdict = _VERDICTS.get(judged.verdict(target.bound, target.at_least), OPEN)
                runs = ", ".join(group.runs) if len(groups) > 1 else ""
                found.append(Judged(target, measured, verdict, runs))
    return found
