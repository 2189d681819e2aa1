#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How fast is the checker, and does its memory stay flat?

Builds four classic families exactly as `fencepost check` builds them, explores each several times
and sets the CPU time beside what the best existing checker was measured to need for the same
executions on this kind of machine. The figures of that checker are without the 0.05 s that it takes
to start; ours are of the whole process. Compiling counts for neither.

    .venv/bin/python bench/checker/run.py [--repeat 5] [--json FILE]
"""

from __future__ import annotations

import argparse
import json
import math
import os
import platform
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
FAMILIES = ROOT / "tests" / "checker" / "programs" / "families"
sys.path.insert(0, str(ROOT / "lab"))

from fencepost.build_program import Program, Toolchain, build_program  # noqa: E402


@dataclass(frozen=True)
class Family:
    """One program, how many executions it has, and the CPU seconds that are to be beaten."""

    name: str
    source: str
    flags: tuple[str, ...]
    executions: int
    reference_seconds: float


SPEED = (
    Family("lastzero(15)", "lastzero.c", ("-DN=15",), 147_456, 9.6),
    Family("indexer(15)", "indexer.c", ("-DN=15",), 4_096, 3.4),
    Family("fib(5)", "fib.c", ("-DN=5", "-DLIMIT=144"), 525_630, 3.2),
    Family("readers(13)", "readers.c", ("-DN=13",), 8_192, 0.43),
)

#: Over a million executions, with writes that are revisited all the way.
FLATNESS = Family("lastzero(18)", "lastzero.c", ("-DN=18",), 1_376_256, math.nan)
FLATNESS_STEPS = (10_000, 100_000, 1_000_000)


@dataclass(frozen=True)
class Run:
    """What one exploration cost."""

    executions: int
    blocked: int
    cpu_seconds: float
    peak_kib: int


def explore(program: Program, max_executions: int = 0) -> Run:
    """Explore one program under c++20 and measure the whole process."""
    reader, writer = os.pipe()
    options = f"model=c++20 fd={writer}"
    if max_executions:
        options += f" max_executions={max_executions}"
    process = subprocess.Popen(
        [str(program.executable)],
        env=dict(os.environ, FENCEPOST_CHECK=options),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        pass_fds=[writer],
    )
    os.close(writer)
    with os.fdopen(reader) as lines:
        results = [json.loads(line) for line in lines if '"result"' in line]
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if not results:
        raise SystemExit(f"{program.executable.name}: no result, status {process.returncode}")
    found: dict[str, Any] = results[-1]
    if found["verdict"] == "violated":
        raise SystemExit(f"{program.executable.name}: {found['violation']['message']}")
    cpu = usage.ru_utime + usage.ru_stime
    return Run(found["executions"], found["blocked"], cpu, usage.ru_maxrss)


def build(family: Family, directory: Path) -> Program:
    directory.mkdir()
    return build_program([FAMILIES / family.source], Toolchain("gcc", family.flags), directory)


def measure_speed(directory: Path, repeat: int, say: Callable[[str], None]) -> list[dict[str, Any]]:
    say(f"{'family':14}{'executions':>12}{'CPU':>9}{'per second':>13}{'peak':>9}"
        f"{'reference':>11}{'faster':>9}")  # fmt: skip
    rows = []
    for number, family in enumerate(SPEED):
        program = build(family, directory / f"speed{number}")
        runs = [explore(program) for _ in range(repeat)]
        wrong = {run.executions for run in runs} - {family.executions}
        if wrong:
            raise SystemExit(f"{family.name}: {wrong} executions instead of {family.executions}")
        cpu = statistics.median(run.cpu_seconds for run in runs)
        row = {
            "family": family.name,
            "executions": family.executions,
            "blocked": runs[0].blocked,
            "cpu_seconds": cpu,
            "cpu_seconds_of_each_run": [run.cpu_seconds for run in runs],
            "executions_per_second": family.executions / cpu,
            "peak_kib": max(run.peak_kib for run in runs),
            "reference_cpu_seconds": family.reference_seconds,
            "times_faster": family.reference_seconds / cpu,
        }
        rows.append(row)
        say(
            f"{family.name:14}{family.executions:>12,}{cpu:>8.2f}s"
            f"{row['executions_per_second']:>13,.0f}{row['peak_kib'] / 1024:>6.1f}MiB"
            f"{family.reference_seconds:>10.2f}s{row['times_faster']:>8.1f}x"
        )
    return rows


def measure_flatness(directory: Path, say: Callable[[str], None]) -> dict[str, Any]:
    program = build(FLATNESS, directory / "flatness")
    steps = []
    for bound in (*FLATNESS_STEPS, 0):
        run = explore(program, bound)
        steps.append(asdict(run))
        peak = run.peak_kib / 1024
        say(f"{FLATNESS.name:14}{run.executions:>12,} executions: peak {peak:.1f} MiB")
    if steps[-1]["executions"] != FLATNESS.executions:
        raise SystemExit(f"{FLATNESS.name}: {steps[-1]['executions']} executions, "
                         f"not {FLATNESS.executions}")  # fmt: skip
    growth = steps[-1]["peak_kib"] / steps[0]["peak_kib"]
    say(f"memory grows by a factor of {growth:.2f} from the first to the last")
    return {"family": FLATNESS.name, "steps": steps, "growth": growth}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--repeat", type=int, default=5, metavar="N", help="runs a family (5)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures; - for stdout")
    parser.add_argument("--no-flatness", action="store_true", help="skip the run of a million")
    arguments = parser.parse_args()
    to_stdout = arguments.json == Path("-")

    def say(line: str) -> None:
        print(line, file=sys.stderr if to_stdout else sys.stdout, flush=True)

    with tempfile.TemporaryDirectory(prefix="fencepost-bench-") as name:
        rows = measure_speed(Path(name), arguments.repeat, say)
        ratios = [row["times_faster"] for row in rows]
        mean = statistics.geometric_mean(ratios)
        say(f"geometric mean: {mean:.1f} times faster; slowest: {min(ratios):.1f}")
        figures: dict[str, Any] = {
            "machine": platform.processor() or platform.machine(),
            "repeat": arguments.repeat,
            "families": rows,
            "geometric_mean_times_faster": mean,
        }
        if not arguments.no_flatness:
            figures["memory"] = measure_flatness(Path(name), say)
    if to_stdout:
        print(json.dumps(figures, indent=2))
    elif arguments.json:
        arguments.json.write_text(json.dumps(figures, indent=2) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
