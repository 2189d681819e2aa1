# SPDX-License-Identifier: MIT
"""Runs benchmarks as experiments: variant by variant in turns (A B C A B C …), each window in a
process of its own, and a window in which others used the processors is thrown away and repeated.
Prints the ratio of ours to each peer with an interval, beside its target; every window is kept in a
file, which `fencepost compare` reads too."""

from __future__ import annotations

import argparse
import difflib
import os
import sys
from collections.abc import Iterator
from pathlib import Path

from fencepost.bench_command import (
    add_common_arguments,
    carried_out,
    count,
    pattern,
    positive,
    run_ahead_of_others,
)
from fencepost.bench_measure import Plan, measure
from fencepost.bench_results import ROOT, Results, Windows, read_results
from fencepost.bench_subjects import SUBJECTS
from fencepost.bench_tables import print_tables
from fencepost.bench_window import Variant, list_variants
from fencepost.input_error import UnusableInput

EXIT_UNUSABLE = 3
#: All subjects, in few and short windows.
QUICK = "quick"

EPILOG = """\
examples:
  fencepost bench --list                      what can be measured, and what it answers
  fencepost bench quick                       a first impression of everything
  fencepost bench locks_contended --rounds 15
  fencepost bench --only 'parking_lot$|fencepost_mutex' --all

exit status: 0, 1 if a benchmark failed or was always disturbed, 3 if nothing could be measured, 130
if it was interrupted; what was measured is kept and printed in each case
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("subjects", nargs="*", metavar="SUBJECT",
                        help="what to measure (all); quick: all, briefly")  # fmt: skip
    parser.add_argument("--list", action="store_true",
                        help="measure nothing: say what there is")  # fmt: skip
    parser.add_argument("--only", type=pattern, metavar="PATTERN",
                        help="only benchmarks whose work/variant this matches")  # fmt: skip
    parser.add_argument("--rounds", type=count, metavar="N",
                        help="windows a variant (11; quick: 3)")  # fmt: skip
    parser.add_argument("--seconds", type=positive, metavar="S", help="length of a window")
    parser.add_argument("--all", action="store_true", help="also print every variant's median")
    parser.add_argument("--into", type=Path, metavar="FILE",
                        help="append to this file (BUILD_DIR/results.jsonl)")  # fmt: skip
    add_common_arguments(parser, ROOT / "build" / "bench")


def run(args: argparse.Namespace) -> int:
    try:
        if args.list:
            print("\n".join(_list(args.build_dir)))
            return 0
        if args.report:
            print_tables(read_results(args.report), args.all)
            return 0
        plan = _plan(args)
        results = Results(args.into or args.build_dir / "results.jsonl", SUBJECTS)
    except UnusableInput as problem:
        print(f"fencepost: {problem}", file=sys.stderr)
        return EXIT_UNUSABLE
    run_ahead_of_others()
    windows = Windows()
    return carried_out(
        lambda: measure(plan, results, windows),
        lambda: print_tables(windows, args.all),
        results.path,
    )


def find_program(directory: Path, name: str) -> Path | None:
    for place in (directory / "bench" / "library" / name, directory / "library" / name):
        if os.access(place, os.X_OK):
            return place
    return None


def _list(directory: Path) -> Iterator[str]:
    for name, subject in SUBJECTS.items():
        built = "" if find_program(directory, subject.program) else " (not built)"
        yield f"{name:18} {subject.question}{built}"


def _subjects(names: list[str]) -> list[str]:
    for name in names:
        if name not in SUBJECTS:
            known = [*SUBJECTS, QUICK]
            near = difflib.get_close_matches(name, known, n=2, cutoff=0.4) or known
            raise UnusableInput(f"there is no subject {name!r}; did you mean {' or '.join(near)}?")
    return names or list(SUBJECTS)


def _plan(args: argparse.Namespace) -> Plan:
    quick = QUICK in args.subjects
    programs: dict[str, Path] = {}
    variants: list[Variant] = []
    for name in _subjects([name for name in args.subjects if name != QUICK]):
        program = find_program(args.build_dir, SUBJECTS[name].program)
        if program is None:
            print(f"fencepost: {name} is not built in {args.build_dir}: left out",
                  file=sys.stderr)  # fmt: skip
            continue
        programs[name] = program
        variants += list_variants(name, program)
    if not programs:
        raise UnusableInput("no benchmark is built; 'make bench' builds them, or cmake with "
                            "-DFENCEPOST_BENCH=ON")  # fmt: skip
    if args.only:
        variants = [v for v in variants if args.only.search(f"{v.work}/{v.variant}")]
        if not variants:
            raise UnusableInput(f"no benchmark matches {args.only.pattern!r}")
    rounds = args.rounds or (3 if quick else 11)
    shorter = 0.4 if quick else 1.0
    seconds = {name: args.seconds or SUBJECTS[name].seconds * shorter for name in programs}
    return Plan(variants, programs, rounds, seconds, args.others)
