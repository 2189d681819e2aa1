# SPDX-License-Identifier: MIT
"""The windows of a run, and the file that keeps them, in the schema of docs/results.md."""

from __future__ import annotations

import subprocess
import sys
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fencepost.bench_subjects import Subject
from fencepost.bench_window import Outcome, Variant
from fencepost.input_error import UnusableInput
from fencepost.results_file import ResultsFile, read_file
from fencepost.results_machine import machine_facts, new_run, now
from fencepost.results_schema import Run, Window

ROOT = Path(__file__).resolve().parents[2]
#: What the programs that are measured are made of.
SOURCES = ("include", "src", "bench")


@dataclass
class Windows:
    """The kept windows of one run or of several: figures by (subject, work, variant) and round."""

    figures: dict[tuple[str, str, str], dict[int, dict[str, float]]] = field(
        default_factory=lambda: defaultdict(dict)
    )
    discarded: int = 0

    def add(self, window: dict[str, Any]) -> None:
        if not window["kept"]:
            self.discarded += 1
            return
        key = (window["subject"], window["work"], window["variant"])
        rounds = self.figures[key]
        rounds[len(rounds)] = window["figures"]

    def values(self, subject: str, work: str, variant: str, figure: str) -> list[float]:
        rounds = self.figures.get((subject, work, variant), {})
        return [figures[figure] for figures in rounds.values() if figure in figures]


def git(*arguments: str) -> str:
    try:
        found = subprocess.run(
            ["git", "-C", str(ROOT), *arguments], capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        return ""
    return found.stdout.strip()


class Results:
    """Appends to the file of JSON Lines: a line about the run, then one for each window."""

    def __init__(
        self,
        path: Path,
        subjects: Mapping[str, Subject],
        more: Mapping[str, Any] | None = None,
    ) -> None:
        """`more` is what else the line about the run says."""
        try:
            self.file = ResultsFile(path)
        except UnusableInput as problem:
            raise SystemExit(f"fencepost: {problem}") from None
        self.path = path
        self.run = new_run()
        self.subjects = subjects
        self.described = False
        self.more = dict(more or {})

    def describe(self, context: dict[str, Any]) -> None:
        if self.described:
            return
        self.described = True
        facts = {
            **machine_facts(),
            "pinned": context.get("pinned"),
            "compiler": context.get("compiler"),
            "flags": context.get("flags"),
            "commit": git("rev-parse", "--short=12", "HEAD"),
            "changed_since_commit": bool(git("status", "--porcelain", *SOURCES)),
            **self.more,
        }
        metrics = {name: subject.metrics for name, subject in self.subjects.items()}
        self.write(Run(self.run, True, metrics, facts).to_json())

    def window(self, variant: Variant, number: int, outcome: Outcome, kept: bool) -> dict[str, Any]:
        self.describe(outcome.context)
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
        self.write(line)
        return line

    def write(self, line: dict[str, Any]) -> None:
        try:
            self.file.write(line)
        except UnusableInput as problem:
            raise SystemExit(f"fencepost: {problem}") from None


def read_results(path: Path) -> Windows:
    try:
        found = read_file(path)
    except UnusableInput as problem:
        raise SystemExit(f"fencepost: {problem}") from None
    for remark in found.remarks:
        print(f"fencepost: {remark}", file=sys.stderr)
    windows = Windows()
    for window in found.windows:
        windows.add(window.to_json())
    return windows
