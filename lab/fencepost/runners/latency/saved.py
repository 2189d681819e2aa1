# SPDX-License-Identifier: MIT
"""The results of a run: every window as it was measured, or the small file for the documentation,
which has the kept ones alone, a line each (docs/lab/results.md)."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fencepost.measure.results import Windows
from fencepost.results.schema import SCHEMA
from fencepost.runners.latency.pieces import SUBJECT
from fencepost.system.whole_file import write_whole

BIN = "bin "


@dataclass
class Saved:
    """Figures with where they are from."""

    windows: Windows
    runs: list[dict[str, Any]] = field(default_factory=list)
    #: What others used of a processor, in each kept window.
    others: list[float] = field(default_factory=list)


def _compact(window: dict[str, Any]) -> dict[str, Any]:
    figures = {n: v for n, v in window["figures"].items() if not n.startswith(BIN)}
    counts = {
        int(name[len(BIN) :]): int(value)
        for name, value in window["figures"].items()
        if name.startswith(BIN)
    }
    first = min(counts)
    bins = [counts.get(n, 0) for n in range(first, max(counts) + 1)]
    return {**window, "figures": figures, "first_bin": first, "bins": bins}


def _whole(window: dict[str, Any]) -> dict[str, Any]:
    if "bins" not in window:
        return window
    counts = {
        f"{BIN}{window['first_bin'] + n}": float(count)
        for n, count in enumerate(window["bins"])
        if count
    }
    return {**window, "figures": {**window["figures"], **counts}}


def read(path: Path) -> Saved:
    """Read results of either kind: every window, or the small file with the kept ones alone."""
    if not path.is_file():
        raise SystemExit(f"fencepost: no such file: {path}")
    found = Saved(Windows())
    for number, text in enumerate(path.read_text().splitlines(), 1):
        try:
            line = json.loads(text)
            if line["kind"] == "window":
                found.windows.add(_whole(line))
                if line["kept"] and line.get("elapsed"):
                    found.others.append(line["others_cpu"] / line["elapsed"])
            elif line["schema"] == SCHEMA:
                found.runs.append(line)
            else:
                raise SystemExit(f"fencepost: {path}:{number}: schema {line['schema']}")
        except (ValueError, KeyError, TypeError) as problem:
            raise SystemExit(
                f"fencepost: {path}:{number}: not a line of results: {problem}"
            ) from None
    return found


def save(results: Path, path: Path) -> None:
    """The small file of a file of results."""
    lines = []
    for text in results.read_text().splitlines():
        line = json.loads(text)
        if line["kind"] != "window":
            lines.append(line)
        elif line["subject"] == SUBJECT and line["kept"]:
            lines.append(line if "bins" in line else _compact(line))
    text = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)
    write_whole(path, text)
