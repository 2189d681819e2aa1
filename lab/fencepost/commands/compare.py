# SPDX-License-Identifier: MIT
"""Compares what was measured: how probable it is that one variant's figures lie above another's by
more than a region of practical equivalence, within it, or below; and says when the rounds cannot
tell. With --measure it measures until they can."""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import random
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from fencepost.compare.command import pin, processor_list
from fencepost.console.arguments import (
    certainty,
    count,
    count_or_none,
    new_file,
    pattern,
    seconds,
    seed_number,
    share,
)
from fencepost.console.input_error import UnusableInput
from fencepost.console.packages import require_numpy_and_scipy
from fencepost.console.version import labelled

if TYPE_CHECKING:
    from fencepost.compare.select import Pair, Query
    from fencepost.compare.verdict import Comparison

EXIT_ANSWERED, EXIT_NOT_DISTINGUISHABLE, EXIT_UNUSABLE = 0, 2, 3

EPILOG = """\
examples:
  fencepost compare fencepost_mutex parking_lot --results build/bench/results.jsonl
  fencepost compare before.jsonl after.jsonl --metric sections_per_second
  fencepost compare fencepost_mutex '*' --results results.db --work threads:8
  fencepost compare --measure './old 1000' './new 1000' --budget 300

Results are JSON Lines or a database of ours, Google Benchmark's JSON, or what sysbench printed:
docs/lab/results.md. How it is found out, and under which assumptions: docs/lab/compare.md.

exit status: 0 every question was answered (also by "practically equal"), 2 some were not, 3 it
could not be compared, 130 interrupted
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "sides",
        nargs="+",
        metavar="A B",
        help="variants, of which the first is compared with each other one (* is a pattern); or "
        "two files of results; or two runs, by their names",
    )
    parser.add_argument(
        "--results",
        nargs="+",
        action="extend",
        type=Path,
        default=[],
        metavar="FILE",
        help="where the variants were measured",
    )
    parser.add_argument("--metric", metavar="NAME", help="the figure (each subject's first)")
    parser.add_argument(
        "--work", type=pattern, metavar="PATTERN", help="only where SUBJECT/WORK matches"
    )
    parser.add_argument(
        "--rope",
        type=share,
        default=0.01,
        metavar="SHARE",
        help="differences up to this are none in practice (1%%)",
    )
    parser.add_argument(
        "--certainty",
        type=certainty,
        default=0.95,
        metavar="SHARE",
        help="how sure an answer must be, all answers together (95%%)",
    )
    parser.add_argument("--all-pairs", action="store_true", help="every variant with every other")
    parser.add_argument(
        "--paired",
        action="store_true",
        help="rounds of the same number were measured in turns, though the files do not say so",
    )
    parser.add_argument(
        "--across-machines", action="store_true", help="compare figures of different machines"
    )
    _add_measuring(parser.add_argument_group("measuring"))
    parser.add_argument("--json", action="store_true", help="an object a line, a line a comparison")


def _add_measuring(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--measure",
        action="store_true",
        help="the sides are commands: run them in turns until it is known how the first compares "
        "with each other one",
    )
    group.add_argument(
        "--take",
        choices=("wall", "cpu", "number"),
        default="wall",
        help="the time that a command takes, the CPU time, or the last number that it prints",
    )
    group.add_argument(
        "--better", choices=("higher", "lower"), help="which numbers are good, with --take number"
    )
    group.add_argument(
        "--budget",
        type=seconds,
        default=120.0,
        metavar="SECONDS",
        help="end without an answer after so long (120)",
    )
    group.add_argument(
        "--rounds", type=count, default=math.inf, metavar="N", help="or after so many rounds"
    )
    group.add_argument(
        "--warm-up", type=count_or_none, default=1, metavar="N", help="rounds before those (1)"
    )
    group.add_argument(
        "--timeout",
        type=seconds,
        default=60.0,
        metavar="SECONDS",
        help="a command that takes longer has failed (60)",
    )
    group.add_argument(
        "--cpu", type=processor_list, metavar="LIST", help="pin to these: 1 or 0,2-3"
    )
    group.add_argument(
        "--seed",
        type=seed_number,
        metavar="N",
        help="of the orders, which are drawn by lot otherwise",
    )
    group.add_argument(
        "--into",
        type=new_file,
        metavar="FILE",
        help="the results, appended as they come; there already, it is gone on with "
        "(compare-HASH_OF_THE_COMMANDS.jsonl)",
    )


def run(args: argparse.Namespace) -> int:
    try:
        require_numpy_and_scipy("compare")
        return _compare(args)
    except UnusableInput as problem:
        print(f"fencepost: {problem}", file=sys.stderr)
        return EXIT_UNUSABLE


def _compare(args: argparse.Namespace) -> int:
    if args.measure:
        return _measure(args)
    from fencepost.compare.select import Query
    from fencepost.compare.verdict import Rope, compare, judged

    wanted = Query(args.metric, args.work, args.paired, args.across_machines, args.all_pairs)
    pairs = _pairs(args, wanted)
    comparisons = judged([compare(pair, Rope(args.rope), args.certainty) for pair in pairs])
    return tell(comparisons, args.json)


def _pairs(args: argparse.Namespace, wanted: Query) -> list[Pair]:
    from fencepost.compare.select import pairs_of_files, pairs_of_variants
    from fencepost.results.file import read_file, read_results
    from fencepost.results.schema import part_of

    if args.results:
        measured = read_results(args.results)
        _say(measured.remarks)
        if all(side in measured.runs for side in args.sides):
            return pairs_of_files([(run, part_of(measured, run)) for run in args.sides], wanted)
        return pairs_of_variants(measured, args.sides, wanted)
    paths = [Path(side) for side in args.sides]
    missing = [str(path) for path in paths if not path.is_file()]
    if missing:
        raise UnusableInput(
            f"there is no file {missing[0]!r}; for variants, --results FILE says where they are"
        )
    if len(paths) < 2:
        raise UnusableInput("one file is nothing to compare; --results reads variants from it")
    files = [(str(path), read_file(path)) for path in paths]
    for _, measured in files:
        _say(measured.remarks)
    return pairs_of_files(files, wanted)


def _measure(args: argparse.Namespace) -> int:
    from fencepost.compare.measure import Plan, Session
    from fencepost.compare.verdict import Rope
    from fencepost.console.progress import ProgressLine, duration

    if len(args.sides) < 2:
        raise UnusableInput("one command is nothing to compare")
    told = "\0".join([args.take, *args.sides])
    name = f"compare-{hashlib.sha256(told.encode()).hexdigest()[:8]}.jsonl"
    seed = random.SystemRandom().randrange(2**31) if args.seed is None else args.seed
    plan = Plan(
        tuple(args.sides),
        args.take,
        args.better,
        Rope(args.rope),
        args.certainty,
        args.budget,
        args.rounds,
        args.warm_up,
        args.timeout,
        seed,
        args.into or Path(name),
        tuple(args.cpu) if args.cpu else None,
    )
    if args.cpu:
        pin(args.cpu)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    sitting = Session(plan)
    if sitting.earlier:
        _say([f"{plan.path}: {sitting.earlier} rounds were there already"])
    line = ProgressLine()

    def show(sitting: Session, left: float) -> None:
        answered = len(plan.names) - 1 - len(sitting.open_questions)
        line.say(
            f"round {sitting.next_round + 1}, {duration(left)} left, "
            f"{answered} of {len(plan.names) - 1} answered"
        )

    trouble, status = None, 0
    try:
        trouble = sitting.measure(show)
    except KeyboardInterrupt:
        trouble, status = "interrupted; this is what was measured until then", 130
    except UnusableInput as problem:
        trouble = str(problem)
    line.clear()
    if trouble:
        _say([trouble])
    comparisons = sitting.comparisons()
    answered = tell(comparisons, args.json) if comparisons else EXIT_NOT_DISTINGUISHABLE
    told_of = {one.pair.other.name for one in comparisons}
    for other in plan.names[1:]:
        if other not in told_of:
            _say([f"{other}: too few rounds to say anything"])
            answered = EXIT_NOT_DISTINGUISHABLE
    _say([f"every round is in {plan.path}"])
    return status or (EXIT_UNUSABLE if trouble else answered)


def _say(remarks: list[str]) -> None:
    for remark in remarks:
        print(f"fencepost: {remark}", file=sys.stderr)


def tell(comparisons: list[Comparison], as_lines: bool) -> int:
    from fencepost.compare.text import as_json, report
    from fencepost.compare.verdict import UNKNOWN

    if as_lines:
        for one in comparisons:
            print(json.dumps(labelled("compare", as_json(one))))
    else:
        print("\n".join(report(comparisons)))
    unknown = any(one.verdict == UNKNOWN for one in comparisons)
    return EXIT_NOT_DISTINGUISHABLE if unknown else EXIT_ANSWERED
