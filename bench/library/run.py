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
import difflib
import os
import sys
from pathlib import Path

from measuring.command import (
    add_common_arguments,
    carried_out,
    count,
    pattern,
    positive,
    run_ahead_of_others,
)
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


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description="Measures the library beside its peers and prints ratios and targets."
    )
    parser.add_argument("--subject", type=subject_name, action="append", metavar="NAME",
                        help=f"only this one of {', '.join(SUBJECTS)}; repeatable")  # fmt: skip
    parser.add_argument("--only", type=pattern, metavar="PATTERN",
                        help="only benchmarks whose work/variant this matches")  # fmt: skip
    parser.add_argument("--repetitions", type=count, metavar="N", help="windows a variant (11)")
    parser.add_argument("--window", type=positive, metavar="SECONDS", help="length of a window")
    parser.add_argument("--quick", action="store_true",
                        help="three short windows a variant: a first impression")  # fmt: skip
    parser.add_argument("--all", action="store_true", help="also print every variant's median")
    parser.add_argument("--results", type=Path, metavar="FILE",
                        help="append to this file (BUILD_DIR/results.jsonl)")  # fmt: skip
    add_common_arguments(parser, ROOT / "build" / "bench")
    return parser.parse_args()


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


def main() -> int:
    arguments = parse_arguments()
    if arguments.report:
        if not arguments.report.is_file():
            raise SystemExit(f"fencepost: no such file: {arguments.report}")
        print_tables(read_results(arguments.report), arguments.all)
        return 0
    plan = make_plan(arguments)
    run_ahead_of_others()
    results = Results(arguments.results or arguments.build_dir / "results.jsonl", SUBJECTS)
    windows = Windows()
    return carried_out(
        lambda: measure(plan, results, windows),
        lambda: print_tables(windows, arguments.all),
        results.path,
    )


if __name__ == "__main__":
    sys.exit(main())
