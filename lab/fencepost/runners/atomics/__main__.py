# SPDX-License-Identifier: MIT
"""How fast is the atomics runtime beside the system's libatomic?

Builds the programs and the library with each kind of lock, and runs them: every function while
nobody else wants its object (operations); one object of 24 bytes that 1 to 256 threads share
(contended), with each kind of lock (kinds); a stack that 1 to 256 threads share (lifo). The latter
three also with owners that are descheduled. In each round every piece runs once, in an order drawn
anew; a window in which others used the processors is thrown away and repeated. Prints
ratios with intervals beside their targets. Every window is kept as it ends: Ctrl-C, or
--for, ends a run early, and --resume goes on with it.

    fencepost bench atomics [quick] [--only PATTERN] [-- --save FILE --plots FOLDER]
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from pathlib import Path

from fencepost import ROOT
from fencepost.console.arguments import count, new_file, new_folder, pattern
from fencepost.measure.command import add_common_arguments, carried_out, run_ahead_of_others, told
from fencepost.measure.results import Results, Windows
from fencepost.results.machine import machine_facts
from fencepost.results.schema import MACHINE_FACTS
from fencepost.runners.atomics.built import NotBuilt, build, find, identity
from fencepost.runners.atomics.documents import rewrite
from fencepost.runners.atomics.measure import Plan, measure
from fencepost.runners.atomics.pieces import SUBJECTS, all_pieces
from fencepost.runners.atomics.plots import plots
from fencepost.runners.atomics.saved import Saved, read, runs_in, save
from fencepost.runners.atomics.tables import print_tables


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="fencepost bench atomics --",
        description="Measures the atomics runtime beside the system's libatomic, in turns.",
    )
    parser.add_argument(
        "--only",
        type=pattern,
        metavar="PATTERN",
        help="only pieces whose subject/work/variant this matches",
    )
    parser.add_argument("--rounds", type=count, metavar="N", help="windows for each piece (9)")
    parser.add_argument(
        "--all", action="store_true", help="print every row, and every typical figure"
    )
    parser.add_argument("--no-build", action="store_true", help="measure what is built")
    parser.add_argument(
        "--system",
        type=Path,
        metavar="FILE",
        help="the library to compare with (GCC's libatomic.so.1)",
    )
    parser.add_argument(
        "--results",
        type=Path,
        metavar="FILE",
        help="every window (BUILD_DIR/bench/atomics/results.jsonl)",
    )
    parser.add_argument("--save", type=new_file, metavar="FILE", help="write the figures as JSON")
    parser.add_argument(
        "--plots", type=new_folder, metavar="FOLDER", help="draw the stack's curves as SVG"
    )
    parser.add_argument(
        "--documents", action="store_true", help="put the figures into the documentation"
    )
    add_common_arguments(parser, ROOT / "build" / "release")
    return parser.parse_args()


def earlier(path: Path, resume: bool, measured: dict[str, str]) -> Windows:
    """What the results file has already, where this run goes on with it; else it is put aside."""
    if not path.is_file():
        return Windows()
    if not resume:
        path.replace(path.with_suffix(".previous.jsonl"))
        return Windows()
    found = read(path)
    now = machine_facts()
    here = {"measured": measured, **{fact: now[fact] for fact in MACHINE_FACTS}}
    if any(run.get(fact) != value for run in found.runs for fact, value in here.items()):
        raise SystemExit(
            f"fencepost: {path} has windows of another build or machine: "
            "without --resume they are put aside"
        )
    return found.windows


def make_plan(arguments: argparse.Namespace) -> tuple[Plan, dict[str, str]]:
    try:
        if not arguments.no_build:
            build(arguments.build_dir)
        built = find(arguments.build_dir, arguments.system)
    except NotBuilt as problem:
        raise SystemExit(f"fencepost: {problem}") from None
    pieces = [
        piece
        for piece in all_pieces(built)
        if not arguments.only or arguments.only.search(piece.name)
    ]
    if not pieces:
        raise SystemExit(f"fencepost: no piece matches {arguments.only.pattern!r}; see --list")
    rounds = arguments.rounds or (3 if arguments.quick else 9)
    shorter = 0.3 if arguments.quick else 1.0
    until = time.monotonic() + (arguments.length or math.inf)
    plan = Plan(pieces, built.folder, rounds, shorter, arguments.others, arguments.seed, until)
    return plan, identity(built)


def finish(found: Saved, arguments: argparse.Namespace) -> None:
    print_tables(found.windows, arguments.all)
    if arguments.save:
        save(found, arguments.save)
        print(f"the figures are in {arguments.save}")
        # Curves and documentation are those of the file, which rounds.
        found = read(arguments.save)
    if arguments.plots:
        for path in plots(found, arguments.plots):
            print(f"drawn: {path}")
    if arguments.documents:
        for path in rewrite(found):
            print(f"rewritten: {path}")


def main() -> int:
    arguments = parse_arguments()
    if arguments.report:
        finish(read(arguments.report), arguments)
        return 0
    plan, measured = make_plan(arguments)
    if arguments.list:
        print("\n".join(piece.name for piece in plan.pieces))
        return 0
    run_ahead_of_others()
    path = arguments.results or plan.folder / "results.jsonl"
    windows = earlier(path, arguments.resume, measured)
    results = Results(path, SUBJECTS, {"measured": measured})

    def finish_what_was_measured() -> None:
        finish(Saved(windows, runs_in(path) if path.is_file() else []), arguments)

    return carried_out(lambda: measure(plan, results, windows), finish_what_was_measured, path)


if __name__ == "__main__":
    sys.exit(told(main))
