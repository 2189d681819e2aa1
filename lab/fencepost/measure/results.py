# SPDX-License-Identifier: MIT
"""The windows of a run, and the file that keeps them, in the schema of docs/lab/results.md."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fencepost import ROOT
from fencepost.measure.groups import only_group
from fencepost.measure.subjects import Subject
from fencepost.measure.window import Outcome, Variant
from fencepost.results.file import ResultsFile, read_file
from fencepost.results.machine import machine_facts, new_run, now
from fencepost.results.schema import Failure, Measured, Metric, Run, Window

#: What the programs that are measured are made of.
SOURCES = ("include", "src", "bench")


#: A round of a run.
Round = tuple[str, int]


@dataclass
class Windows:
    """The kept windows of one run or of several: figures by (subject, work, variant) and round."""

    figures: dict[tuple[str, str, str], dict[Round, dict[str, float]]] = field(
        default_factory=lambda: defaultdict(dict)
    )
    discarded: int = 0
    #: What is measured of each subject, where a file of results has said it.
    metrics: dict[str, Sequence[Metric]] = field(default_factory=dict)

    def add(self, window: Mapping[str, Any]) -> None:
        if not window["kept"]:
            self.discarded += 1
            return
        key = (window["subject"], window["work"], window["variant"])
        self.figures[key][window.get("run", ""), window["round"]] = dict(window["figures"])

    def by_round(self, subject: str, work: str, variant: str, figure: str) -> dict[Round, float]:
        rounds = self.figures.get((subject, work, variant), {})
        return {number: found[figure] for number, found in rounds.items() if figure in found}

    def values(self, subject: str, work: str, variant: str, figure: str) -> list[float]:
        return list(self.by_round(subject, work, variant, figure).values())


def git(*arguments: str, at: Path = ROOT) -> str:
    try:
        found = subprocess.run(
            ["git", "-C", str(at), *arguments],
            capture_output=True,
            text=True,
            errors="replace",
            check=True,
        )
    except (OSError, subprocess.CalledProcessError):
        return ""
    return found.stdout.strip()


def commit_facts(at: Path = ROOT, sources: Sequence[str] = SOURCES) -> dict[str, Any]:
    """Commit and changes of the sources in a directory, where git knows them. `changes` is a hash
    of what has changed."""
    changed = bool(git("status", "--porcelain", *sources, at=at))
    changes = git("diff", "HEAD", "--", *sources, at=at) if changed else ""
    return {
        "commit": git("rev-parse", "--short=12", "HEAD", at=at),
        "changed_since_commit": changed,
        "changes": hashlib.sha256(changes.encode()).hexdigest()[:16] if changed else None,
    }


class Results:
    """Appends to the file of JSON Lines: a line about the run, then one for each window."""

    def __init__(
        self,
        path: Path,
        subjects: Mapping[str, Subject],
        more: Mapping[str, Any] | None = None,
        run: str = "",
        facts: Mapping[str, Any] | None = None,
    ) -> None:
        """`more` is what else the line about the run says. With `run` it is that run which goes on,
        of which `facts` were told. Raises UnusableInput."""
        self.file = ResultsFile(path)
        self.path = path
        self.run = run or new_run()
        self.subjects = subjects
        self.described = False
        self.more = dict(more or {})
        self.facts = dict(facts or {})
        #: What failed before a window told what the run's line says.
        self.failures: list[Failure] = []
        #: Whether the program could pin its threads, where it says so.
        self.pinned: bool | None = None

    def describe(self, context: Mapping[str, Any], figures: Collection[str] = ()) -> None:
        """Writes the line about the run, of which this is the first window."""
        if "pinned" in context:
            self.pinned = context["pinned"] != "no"
        if self.described:
            return
        self.described = True
        known = {key: context[key] for key in ("pinned", "compiler", "flags") if key in context}
        facts = {**machine_facts(), **known, **commit_facts()}
        if self.facts:
            again = {name: facts[name] for name in ("started", "load")}
            facts = self.facts | {"resumed": [*self.facts.get("resumed", ()), again]}
        metrics = {name: subject.metrics_of(figures) for name, subject in self.subjects.items()}
        self.file.write(Run(self.run, True, metrics, facts | self.more).to_json())
        for failure in self.failures:
            self.file.write(failure.to_json())

    def window(self, variant: Variant, number: int, outcome: Outcome, kept: bool) -> dict[str, Any]:
        self.describe(outcome.context, outcome.figures)
        window = Window(
            self.run,
            variant.subject,
            variant.work,
            variant.variant,
            number,
            outcome.figures,
            kept,
            now(),
            outcome.elapsed,
            outcome.others,
        )
        line = window.to_json()
        self.file.write(line)
        return line

    def failure(self, variant: Variant, number: int, message: str) -> None:
        place = (variant.subject, variant.work, variant.variant)
        failure = Failure(self.run, *place, number, message)
        if self.described:
            self.file.write(failure.to_json())
        else:
            self.failures.append(failure)

    def close(self) -> None:
        """What has failed is written also where nothing else has come."""
        if self.failures:
            self.describe({})


def read_measured(path: Path) -> Measured:
    """Raises UnusableInput."""
    found = read_file(path)
    for remark in found.remarks:
        print(f"fencepost: {remark}", file=sys.stderr)
    return found


def read_results(path: Path) -> Windows:
    """Read a file of runs that belong together. Raises UnusableInput, also where some do not."""
    return windows_of(only_group(read_measured(path), str(path)))


def windows_of(found: Measured) -> Windows:
    windows = Windows()
    for run in found.runs.values():
        windows.metrics |= run.metrics
    for window in found.windows_in_order():
        windows.add(window.to_json())
    return windows
