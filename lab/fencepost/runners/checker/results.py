# SPDX-License-Identifier: MIT
"""Figures as JSON, and read back."""

from __future__ import annotations

import json
import os
import platform
import statistics
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from fencepost.measure.results import git
from fencepost.results.machine import processor_model
from fencepost.runners.checker.exploring import CannotMeasure
from fencepost.runners.checker.measure import Figures

SCHEMA = 1


def as_json(figures: Mapping[str, Sequence[Figures]]) -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        "machine": f"{platform.machine()}, {processor_model()}",
        "processors": len(os.sched_getaffinity(0)),
        "kernel": platform.release(),
        "compiler": platform.python_compiler(),
        "commit": git("rev-parse", "--short=12", "HEAD"),
        "changed_since_commit": bool(git("status", "--porcelain", "checker", "lab", "bench")),
        "checkers": {
            name: {f.subject.name: _one(f) for f in those if f.runs or f.trouble}
            for name, those in figures.items()
        },
    }


def _one(figures: Figures) -> dict[str, Any]:
    subject = figures.subject
    found: dict[str, Any] = {
        "model": subject.model,
        "flags": subject.flags,
        "options": subject.options,
        "trouble": figures.trouble,
    }
    if figures.runs and not figures.trouble:
        found |= {
            "executions": figures.runs[0].executions,
            "blocked": figures.runs[0].blocked,
            "executions_per_second": round(figures.executions_per_second, 1),
            "cpu_seconds": round(statistics.median(figures.cpu_seconds), 6),
            "peak_kib": max(run.peak_kib for run in figures.runs),
            "cpu_seconds_of_each_round": [round(s, 6) for s in figures.cpu_seconds],
            "in_units_of_fixed_work": [round(r, 4) for r in figures.relative],
        }
    return found


def read_recorded(path: Path) -> dict[str, dict[str, Any]]:
    """The programs of a file that as_json wrote, those of its first checker."""
    try:
        found = json.loads(path.read_text())
        if found["schema"] != SCHEMA:
            raise CannotMeasure(f"{path}: schema {found['schema']}, not {SCHEMA}")
        programs: dict[str, dict[str, Any]] = next(iter(found["checkers"].values()))
    except (OSError, ValueError, KeyError, TypeError, StopIteration) as problem:
        raise CannotMeasure(f"{path} does not hold figures of this suite: {problem}") from None
    return programs
