# SPDX-License-Identifier: MIT
"""How long do the heavy fences take: the latency study of "Preemption is GC for memory reordering"
(P. Khuong, 2019) once more.

Every strategy alone, beside readers that run on every other processor, and with all processors busy
at low priority as well. In each round every strategy has a window in each surroundings, in an order
drawn anew; a window in which others used the processors is thrown away and repeated. Every window
is kept as it ends: Ctrl-C, or --for, ends a run early, and --resume goes on with it.

    fencepost barrierd start                       # or there is no clock, and no tickets
    fencepost bench latency [quick] [-- --save FILE --figures FOLDER]
    fencepost bench latency --report FILE -- --figures FOLDER --documents
"""

from __future__ import annotations

import argparse
import math
import os
import sys
import time
from pathlib import Path

from fencepost import ROOT
from fencepost.console.arguments import count, new_file, new_folder, pattern
from fencepost.measure.command import add_common_arguments, carried_out, run_ahead_of_others, told
from fencepost.measure.results import Results, Windows
from fencepost.runners.latency.figures import figures
from fencepost.runners.latency.measure import Plan, measure
from fencepost.runners.latency.page import PAGE, print_tables, rewrite
from fencepost.runners.latency.pieces import SUBJECTS, all_pieces
from fencepost.runners.latency.saved import read, save


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="fencepost bench latency --",
        description="Measures how long each heavy fence takes, in turns, and draws the figures.",
    )
    parser.add_argument(
        "--only",
        type=pattern,
        metavar="PATTERN",
        help="only pieces whose surroundings/strategy this matches",
    )
    parser.add_argument("--rounds", type=count, metavar="N", help="windows for each piece (16)")
    parser.add_argument(
        "--results",
        type=Path,
        metavar="FILE",
        help="every window (BUILD_DIR/bench/barriers/latency.jsonl)",
    )
    parser.add_argument(
        "--save", type=new_file, metavar="FILE", help="write the kept windows as a small file"
    )
    parser.add_argument("--figures", type=new_folder, metavar="FOLDER", help="draw them as SVG")
    parser.add_argument(
        "--documents", action="store_true", help="put the tables into the documentation"
    )
    add_common_arguments(parser, ROOT / "build" / "release")
    return parser.parse_args()


def earlier(path: Path, resume: bool) -> Windows:
    """What the results file has already, where this run goes on with it; else it is put aside."""
    if not path.is_file():
        return Windows()
    if not resume:
        path.replace(path.with_suffix(".previous.jsonl"))
        return Windows()
    return read(path).windows


def finish(path: Path, arguments: argparse.Namespace) -> None:
    found = read(path)
    print_tables(found)
    if arguments.save:
        save(path, arguments.save)
        print(f"the kept windows are in {arguments.save}")
    if arguments.figures:
        for drawn in figures(found, arguments.figures):
            print(f"drawn: {drawn}")
    if arguments.documents:
        rewrite(found)
        print(f"rewritten: {PAGE}")


def main() -> int:
    arguments = parse_arguments()
    if arguments.report:
        finish(arguments.report, arguments)
        return 0
    pieces = [one for one in all_pieces() if not arguments.only or arguments.only.search(one.name)]
    if not pieces:
        raise SystemExit(f"fencepost: no piece matches {arguments.only.pattern!r}; see --list")
    if arguments.list:
        print("\n".join(piece.name for piece in pieces))
        return 0
    program = arguments.build_dir / "bench" / "barriers" / "latency"
    if not os.access(program, os.X_OK):
        raise SystemExit(
            f"fencepost: {program} is not built: scripts/build.sh release bench_barriers_latency"
        )
    plan = Plan(
        pieces,
        program,
        arguments.rounds or (3 if arguments.quick else 16),
        0.3 if arguments.quick else 1.0,
        arguments.others,
        arguments.seed,
        time.monotonic() + (arguments.length or math.inf),
    )
    run_ahead_of_others()
    path = arguments.results or program.with_name("latency.jsonl")
    windows = earlier(path, arguments.resume)
    results = Results(path, SUBJECTS, {"rounds": plan.rounds})

    def finish_what_was_measured() -> None:
        if windows.figures:
            finish(path, arguments)

    return carried_out(lambda: measure(plan, results, windows), finish_what_was_measured, path)


if __name__ == "__main__":
    sys.exit(told(main))
