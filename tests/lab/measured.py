# SPDX-License-Identifier: MIT
"""Files of results with figures that are known."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from fencepost.results.schema import Metric, Run, Window

SPEED = Metric("speed", "items/s", "higher")
FACTS = {"machine": "x86_64, a processor", "processors": 2, "kernel": "6.1"}


def lines(
    figures: Mapping[str, Sequence[float]],
    run: str = "r1",
    work: str = "threads:2",
    metric: Metric = SPEED,
    interleaved: bool = True,
    subject: str = "rings",
    **facts: Any,
) -> list[dict[str, Any]]:
    """A run in which each variant had these figures, round by round."""
    described = Run(run, interleaved, {subject: [metric]}, {**FACTS, **facts})
    windows = [
        Window(run, subject, work, variant, number, {metric.figure: value})
        for variant, values in figures.items()
        for number, value in enumerate(values)
    ]
    return [described.to_json(), *(window.to_json() for window in windows)]


def write_lines(path: Path, *parts: Sequence[Mapping[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(line) + "\n" for part in parts for line in part))
    return path
