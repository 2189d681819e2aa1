# SPDX-License-Identifier: MIT
"""The figures of a run in one small file, for the tables, the plots and the documentation.

{"schema": 1, "runs": [what the lines about the runs say …], "discarded": N,
 "figures": {SUBJECT: {WORK: {VARIANT: [a figure for each round …]}}}}
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fencepost.measure.results import Windows, read_results
from fencepost.runners.atomics.pieces import SUBJECTS
from fencepost.system.whole_file import write_whole

SCHEMA = 1


@dataclass
class Saved:
    """Figures with where they are from."""

    windows: Windows
    runs: list[dict[str, Any]] = field(default_factory=list)


def runs_in(path: Path) -> list[dict[str, Any]]:
    lines = (json.loads(line) for line in path.read_text().splitlines())
    return [line for line in lines if line["kind"] == "run"]


def save(found: Saved, path: Path) -> None:
    figures: dict[str, dict[str, dict[str, list[float]]]] = {}
    for subject, work, variant in sorted(found.windows.figures):
        values = found.windows.values(subject, work, variant, SUBJECTS[subject].figure)
        rounded = [float(f"{value:.5g}") for value in values]
        figures.setdefault(subject, {}).setdefault(work, {})[variant] = rounded
    text = json.dumps(
        {
            "schema": SCHEMA,
            "runs": found.runs,
            "discarded": found.windows.discarded,
            "figures": figures,
        },
        indent=1,
    )
    # A figure a line would make the file long and no clearer.
    lines: list[str] = []
    for line in text.splitlines():
        inner = line.strip()
        if lines and (lines[-1].endswith("[") or lines[-1].endswith(",")) and _is_number(inner):
            lines[-1] += ("" if lines[-1].endswith("[") else " ") + inner
        elif lines and inner.rstrip(",") == "]" and _is_number(lines[-1].rsplit(None, 1)[-1]):
            lines[-1] += inner
        else:
            lines.append(line)
    write_whole(path, "\n".join(lines) + "\n")


def _is_number(text: str) -> bool:
    try:
        float(text.rstrip(",").rsplit("[", 1)[-1])
    except ValueError:
        return False
    return True


def read(path: Path) -> Saved:
    """Read results of either kind: every window, or the small file."""
    if not path.is_file():
        raise SystemExit(f"fencepost: no such file: {path}")
    if path.suffix == ".jsonl":
        return Saved(read_results(path), runs_in(path))
    try:
        found = json.loads(path.read_text())
        if found["schema"] != SCHEMA:
            raise SystemExit(f"fencepost: {path}: schema {found['schema']}, not {SCHEMA}")
        windows = Windows(discarded=found["discarded"])
        for subject, works in found["figures"].items():
            for work, variants in works.items():
                for variant, values in variants.items():
                    figure = SUBJECTS[subject].figure
                    for number, value in enumerate(values):
                        windows.figures[subject, work, variant]["", number] = {figure: value}
        return Saved(windows, found["runs"])
    except (ValueError, KeyError, TypeError, AttributeError) as problem:
        raise SystemExit(f"fencepost: {path}: not a file of results: {problem}") from None
