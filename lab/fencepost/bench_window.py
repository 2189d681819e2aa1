# SPDX-License-Identifier: MIT
"""One window: a benchmark run once, in a process of its own, and what others did meanwhile."""

from __future__ import annotations

import json
import os
import re
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fencepost.bench_watched import Failed, run_watched

#: /proc/stat counts in ticks on each processor, so less than this says nothing about a window.
TICKS_OF_DOUBT = 0.03


@dataclass(frozen=True)
class Variant:
    """One benchmark of one program; `name` is what Google Benchmark calls it."""

    subject: str
    work: str
    variant: str
    name: str


def list_variants(subject: str, program: Path) -> list[Variant]:
    listed = subprocess.run(
        [str(program), "--benchmark_list_tests"],
        capture_output=True, text=True, check=True, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    variants = []
    for name in listed.stdout.split():
        bare = re.sub(r"/(iterations:\d+|manual_time|real_time)", "", name)
        work, _, variant = bare.rpartition("/")
        variants.append(Variant(subject, work, variant, name))
    return variants


@dataclass(frozen=True)
class Outcome:
    """What one process measured, and how much of the processors others used meanwhile."""

    figures: dict[str, float]
    context: dict[str, Any]
    elapsed: float
    others: float

    def is_disturbed(self, limit: float) -> bool:
        """Whether others used more than `limit` of a processor that mattered."""
        # One pinned thread, timed by its CPU clock: only its own processor matters.
        if "one_thread" in self.figures:
            return self.figures["real_time"] > (1 + limit) * self.figures["cpu_time"]
        return self.others > TICKS_OF_DOUBT and self.others > limit * self.elapsed


def figures_of(report: dict[str, Any]) -> dict[str, float]:
    results = [row for row in report["benchmarks"] if row.get("run_type") != "aggregate"]
    if len(results) != 1:
        raise Failed(f"{len(results)} results instead of one")
    result = results[0]
    if result.get("error_occurred"):
        raise Failed(str(result.get("error_message")))
    leave_out = {"family_index", "per_family_instance_index", "repetitions", "repetition_index",
                 "threads"}  # fmt: skip
    return {
        key: float(value)
        for key, value in result.items()
        if isinstance(value, (int, float)) and key not in leave_out
    }


def run_window(program: Path, name: str, seconds: float) -> Outcome:
    with tempfile.NamedTemporaryFile(prefix="fencepost-bench-", suffix=".json") as out:
        command = [
            str(program),
            f"--benchmark_filter=^{re.escape(name)}$",
            f"--benchmark_min_time={seconds}",
            f"--benchmark_out={out.name}",
            "--benchmark_out_format=json",
        ]
        watched = run_watched(command, seconds)
        report = json.loads(Path(out.name).read_text())
    figures = figures_of(report)
    matter = os.sched_getaffinity(0)
    if "first_processor_only" in figures:
        matter = {min(matter)}
    return Outcome(figures, report["context"], watched.elapsed, watched.others(matter))
