# SPDX-License-Identifier: MIT
"""One window: a benchmark run once, in a process of its own, and what others did meanwhile."""

from __future__ import annotations

import os
import re
import statistics
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fencepost.console.input_error import UnusableInput
from fencepost.measure.counters import Counters
from fencepost.measure.watched import Failed, run_watched
from fencepost.results.foreign import NANOSECONDS, works_and_variants
from fencepost.system.json_text import as_figure, parse_json

#: /proc/stat counts in ticks on each processor, so less than this says nothing about a window.
TICKS_OF_DOUBT = 0.03
#: Of a row of Google Benchmark: numbers that say nothing about the benchmark.
_LEFT_OUT = {
    "family_index",
    "per_family_instance_index",
    "repetitions",
    "repetition_index",
    "threads",
}


@dataclass(frozen=True)
class Variant:
    """One benchmark of one program; `name` is what Google Benchmark calls it."""

    subject: str
    work: str
    variant: str
    name: str

    def __str__(self) -> str:
        return f"{self.work}/{self.variant}" if self.work else self.variant


def list_variants(subject: str, program: Path, foreign: bool = False) -> list[Variant]:
    """What the program can measure. Names of ours are WORK/VARIANT; of a `foreign` one, numbers and
    NAME:VALUE are its work. Raises UnusableInput."""
    try:
        listed = subprocess.run(
            [str(program), "--benchmark_list_tests"],
            capture_output=True,
            text=True,
            errors="replace",
            check=True,
            timeout=60,
            stdin=subprocess.DEVNULL,
        )
    except OSError as problem:
        raise UnusableInput(f"{program}: cannot be run: {problem.strerror}") from None
    except subprocess.CalledProcessError as problem:
        raise UnusableInput(
            f"{program} --benchmark_list_tests: exit status {problem.returncode}; is it one of "
            "Google Benchmark's?"
        ) from None
    except subprocess.TimeoutExpired:
        raise UnusableInput(
            f"{program} --benchmark_list_tests: does not end; is it one of Google Benchmark's?"
        ) from None
    variants = []
    names = listed.stdout.splitlines()
    found = works_and_variants(names)
    for name in names:
        if foreign:
            work, variant = found[name]
        else:
            bare = re.sub(r"/(iterations:\d+|manual_time|real_time)", "", name)
            work, _, variant = bare.rpartition("/")
        variants.append(Variant(subject, work, variant, name))
    if len(found) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise UnusableInput(f"{program}: it has two benchmarks named {twice!r}; name them apart")
    if not variants:
        raise UnusableInput(f"{program}: it has no benchmarks; is it one of Google Benchmark's?")
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
    """Figures of a program's only benchmark; where it repeats itself, the medians."""
    results = [row for row in report["benchmarks"] if row.get("run_type") != "aggregate"]
    if len(results) != 1 and len({row.get("run_name") for row in results} - {None}) != 1:
        raise Failed(f"{len(results)} results instead of one")
    for result in results:
        if result.get("error_occurred"):
            raise Failed(str(result.get("error_message")))
    found = [_figures(row) for row in results]
    return {
        key: statistics.median(one[key] for one in found)
        for key in found[0]
        if all(key in one for one in found)
    }


def _figures(row: dict[str, Any]) -> dict[str, float]:
    figures = {
        key: as_figure(value)
        for key, value in row.items()
        if isinstance(value, int | float) and not isinstance(value, bool) and key not in _LEFT_OUT
    }
    scale = NANOSECONDS[row.get("time_unit", "ns")]
    return figures | {
        time: figures[time] * scale for time in ("real_time", "cpu_time") if time in figures
    }


@dataclass(frozen=True)
class Taking:
    """How windows are taken: for how long to wait for one, and what counts meanwhile."""

    patience: float | None = None
    counters: Counters | None = None

    def window(self, program: Path, name: str, seconds: float) -> Outcome:
        """Raises Failed."""
        # In memory, so that a full disk is no matter.
        file = os.memfd_create("benchmark")
        try:
            command = [
                str(program),
                f"--benchmark_filter=^{re.escape(name)}$",
                f"--benchmark_min_time={seconds}",
                f"--benchmark_out=/dev/fd/{file}",
                "--benchmark_out_format=json",
            ]
            watched = run_watched(command, seconds, self.patience, file)
            counted = self.counters.taken() if self.counters else {}
            written = os.pread(file, os.fstat(file).st_size, 0)
        finally:
            os.close(file)
        try:
            report = parse_json(written.decode(errors="replace"))
            figures = figures_of(report)
            context = dict(report["context"])
        except (ValueError, KeyError, TypeError, AttributeError):
            raise Failed("wrote no results") from None
        figures |= {name: count for name, count in counted.items() if name not in figures}
        figures.setdefault("process_cpu_seconds", watched.cpu)
        figures.setdefault("process_context_switches", float(watched.switches))
        matter = os.sched_getaffinity(0)
        if "first_processor_only" in figures:
            matter = {min(matter)}
        return Outcome(figures, context, watched.elapsed, watched.others(matter))
