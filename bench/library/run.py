#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How fast is the library beside its peers?

Runs the benchmark programs variant by variant, interleaved (A B C A B C …), each variant in a
process of its own, and prints the ratio of ours to each peer with a bootstrap interval beside the
target. A window in which other processes used more than a set share of a processor is thrown away
and repeated. Every window is appended to a file of JSON Lines, from which --report prints the
tables again.

    .venv/bin/python bench/library/run.py [--subject rings] [--quick] [--only parking_lot]
"""

from __future__ import annotations

import argparse
import contextlib
import difflib
import os
import re
import signal
import sys
from pathlib import Path
from types import FrameType

from measuring.measure import Plan, measure
from measuring.results import ROOT, Results, Windows, read_results
from measuring.subjects import SUBJECTS
from measuring.tables import print_tables
from measuring.window import Variant, list_variants


def subject_name(text: str) -> str:
    if text in SUBJECTS:
        return text
    near = difflib.get_close_matches(text, SUBJECTS, n=2, cutoff=0.4) or list(SUBJECTS)
    raise argparse.ArgumentTypeError(f"no subject {text!r}; did you mean {' or '.join(near)}?")


def pattern(text: str) -> re.Pattern[str]:
    try:
        return re.compile(text)
    except re.error as problem:
        raise argparse.ArgumentTypeError(f"{text!r} is no pattern: {problem}") from None


def positive(text: str) -> float:
    number = float(text)
    if number <= 0:
        raise argparse.ArgumentTypeError("must be above zero")
    return number


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description="Measures the library beside its peers and prints ratios and targets."
    )
    parser.add_argument("--subject", type=subject_name, action="append", metavar="NAME",
                        help=f"only this one of {', '.join(SUBJECTS)}; repeatable")  # fmt: skip
    parser.add_argument("--only", type=pattern, metavar="PATTERN",
                        help="only benchmarks whose work/variant this matches")  # fmt: skip
    parser.add_argument("--repetitions", type=int, metavar="N", help="windows a variant (11)")
    parser.add_argument("--window", type=positive, metavar="SECONDS", help="length of a window")
    parser.add_argument("--quick", action="store_true",
                        help="three short windows a variant: a first impression")  # fmt: skip
    parser.add_argument("--others", type=positive, default=0.15, metavar="SHARE",
                        help="discard windows in which others used more than this share of a "
                             "processor (0.15)")  # fmt: skip
    parser.add_argument("--all", action="store_true", help="also print every variant's median")
    parser.add_argument("--build-dir", type=Path, default=ROOT / "build" / "bench", metavar="DIR",
                        help="where the programs were built (build/bench)")  # fmt: skip
    parser.add_argument("--results", type=Path, metavar="FILE",
                        help="append to this file (BUILD_DIR/results.jsonl)")  # fmt: skip
    parser.add_argument("--report", type=Path, metavar="FILE",
                        help="measure nothing: print the tables of these results")  # fmt: skip
    arguments = parser.parse_args()
    if arguments.repetitions is not None and arguments.repetitions < 1:
        parser.error("--repetitions: at least one")
    return arguments


def find_program(directory: Path, name: str) -> Path | None:
    for place in (directory / "bench" / "library" / name, directory / "library" / name):
        if os.access(place, os.X_OK):
            return place
    return None


def make_plan(arguments: argparse.Namespace) -> Plan:
    programs: dict[str, Path] = {}
    variants: list[Variant] = []
    for name in arguments.subject or SUBJECTS:
        program = find_program(arguments.build_dir, SUBJECTS[name].program)
        if program is None:
            print(f"fencepost: {name} is not built in {arguments.build_dir}: left out",
                  file=sys.stderr)  # fmt: skip
            continue
        programs[name] = program
        variants += list_variants(name, program)
    if not programs:
        raise SystemExit("fencepost: no benchmark is built; 'make bench' builds them, or cmake "
                         "with -DFENCEPOST_BENCH=ON")  # fmt: skip
    if arguments.only:
        variants = [v for v in variants if arguments.only.search(f"{v.work}/{v.variant}")]
        if not variants:
            raise SystemExit(f"fencepost: no benchmark matches {arguments.only.pattern!r}")
    repetitions = arguments.repetitions or (3 if arguments.quick else 11)
    shorter = 0.4 if arguments.quick else 1.0
    seconds = {name: arguments.window or SUBJECTS[name].seconds * shorter for name in programs}
    return Plan(variants, programs, repetitions, seconds, arguments.others)


def stop(_signal: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def main() -> int:
    arguments = parse_arguments()
    if arguments.report:
        if not arguments.report.is_file():
            raise SystemExit(f"fencepost: no such file: {arguments.report}")
        print_tables(read_results(arguments.report), arguments.all)
        return 0
    signal.signal(signal.SIGTERM, stop)
    plan = make_plan(arguments)
    # Ahead of what else runs here, where that is permitted; the results say whether it was.
    with contextlib.suppress(PermissionError):
        os.setpriority(os.PRIO_PROCESS, 0, -20)
    results = Results(arguments.results or arguments.build_dir / "results.jsonl")
    windows = Windows()
    troubles: list[str] = []
    status = 0
    try:
        troubles = measure(plan, results, windows)
    except KeyboardInterrupt:
        print("\nfencepost: interrupted; this is what was measured until then", file=sys.stderr)
        status = 130
    print_tables(windows, arguments.all)
    print(f"every window is in {results.path}")
    for trouble in troubles:
        print(f"fencepost: {trouble}", file=sys.stderr)
    return status or (1 if troubles else 0)


if __name__ == "__main__":
    sys.exit(main())
