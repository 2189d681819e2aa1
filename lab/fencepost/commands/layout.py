# SPDX-License-Identifier: MIT
"""`fencepost bench --layout`: how much of what is measured is a matter of where the code lies."""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from fencepost.compare.command import pin
from fencepost.console.arguments import count_or_none, new_file, share
from fencepost.console.input_error import UnusableInput
from fencepost.console.packages import require_numpy_and_scipy
from fencepost.console.version import labelled
from fencepost.measure.command import carried_out, run_ahead_of_others
from fencepost.measure.experiment import OTHERS, ROUNDS, WARM_UP
from fencepost.system import tool_process
from fencepost.system.json_text import understood

if TYPE_CHECKING:
    from fencepost.layout.build import Layout
    from fencepost.layout.measure import Plan

_POWERS_OF_TWO = {str(1 << n) for n in range(3, 21)}

EXAMPLES = """\
examples of --layout:
  fencepost bench --layout minimal --svg time.svg
  fencepost bench --layout mutex --random 24
  fencepost bench --layout sort.cpp --function quicksort --at loop --take cpu -- -O3
  fencepost bench --layout sort.cpp --build old= --build new=-DNEW --random 32
docs/lab/layout.md says what is moved, what is measured, and what that cannot tell
"""


def _power_of_two(text: str) -> int:
    if text not in _POWERS_OF_TWO:
        raise argparse.ArgumentTypeError(f"{text!r} is no power of two from 8 to {1 << 20:,}")
    return int(text)


def add_arguments(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--layout",
        action="store_true",
        help="measure the same code at other places: SUBJECT is one of our programs for this "
        "(minimal, mutex) or source files, and flags of the compiler come after --",
    )
    group.add_argument(
        "--at",
        choices=("entry", "function", "loop", "none"),
        action="append",
        help="padding goes behind the function's entry, before the function, before a loop of it; "
        "none: only --random (entry)",
    )
    group.add_argument("--function", metavar="NAME", help="the function whose code moves (main)")
    group.add_argument(
        "--loop",
        type=count_or_none,
        default=0,
        metavar="N",
        help="which of its loops, counted from 1 (the longest)",
    )
    group.add_argument(
        "--cycle",
        type=_power_of_two,
        default=64,
        metavar="BYTES",
        help="paddings go through two cycles of this length (64)",
    )
    group.add_argument(
        "--step",
        type=_power_of_two_or_less,
        default=4,
        metavar="BYTES",
        help="from one padding to the next (4)",
    )
    group.add_argument(
        "--random",
        type=count_or_none,
        default=0,
        metavar="N",
        help="and at N random placements: other order of functions and objects, paddings before "
        "all functions, other depth of the stack (0)",
    )
    group.add_argument(
        "--build",
        action="append",
        default=[],
        metavar="NAME=FLAGS",
        help="a variant of the source files, compiled so, and compared with the others",
    )
    group.add_argument(
        "--compiler", default="g++", metavar="COMMAND", help="for C++, and its kin for C (g++)"
    )
    group.add_argument(
        "--take",
        choices=("benchmark", "number", "cpu", "wall"),
        help="what Google Benchmark measures, the last number that the program prints, its CPU "
        "time, its wall time (benchmark where it is linked to that, otherwise cpu)",
    )
    group.add_argument(
        "--better",
        choices=("higher", "lower"),
        default="lower",
        help="which numbers are good (lower)",
    )
    group.add_argument(
        "--argument", action="append", default=[], metavar="WORD", help="of the program"
    )
    group.add_argument(
        "--fixed-addresses",
        action="store_true",
        help="no address space randomisation: stack and heap where they always are",
    )
    group.add_argument(
        "--rope",
        type=share,
        default=0.01,
        metavar="SHARE",
        help="differences up to this are none in practice (1%%)",
    )
    group.add_argument("--svg", type=new_file, metavar="FILE", help="the figure of time(N)")
    group.add_argument("--json", action="store_true", help="an object a line, a line a program")


def _power_of_two_or_less(text: str) -> int:
    if text in ("1", "2", "4"):
        return int(text)
    return _power_of_two(text)


def run(args: argparse.Namespace) -> int:
    require_numpy_and_scipy("--layout")
    if args.report:
        _tell(args, args.report)
        return 0
    if args.list:
        from fencepost.layout.programs import our_subjects

        for subject in our_subjects().values():
            print(f"{subject.name}: {subject.question}\n  {', '.join(subject.programs)}")
        return 0
    return _measure(args)


def _measure(args: argparse.Namespace) -> int:
    from fencepost.layout.measure import Session, build, check_fixed_addresses, items_of, taken_of

    plan = _plan(args)
    if args.fixed_addresses:
        check_fixed_addresses()
    pinned = _pin(args.cpu)
    with tempfile.TemporaryDirectory(prefix="fencepost-layout-") as directory:
        with tool_process.interruptible():
            made = build(plan, Path(directory))
        take = taken_of(plan, made[0][1].executable)
        sitting = Session(plan, take, items_of(plan, made, take), pinned)
        run_ahead_of_others()

        def finish() -> None:
            try:
                _tell(args, plan.path, sitting.results.run)
            except UnusableInput as problem:
                print(f"fencepost: {problem}", file=sys.stderr)

        return carried_out(sitting.measure, finish, plan.path)


def _plan(args: argparse.Namespace) -> Plan:
    from fencepost.layout.measure import Plan
    from fencepost.layout.programs import subject_of

    if args.program or args.build_dir:
        raise UnusableInput("--layout builds what it measures: name its source files instead")
    subject = subject_of(args.subjects, args.variants or [], args.build, args.passed_on)
    programs = {n: replace(p, compiler=args.compiler) for n, p in subject.programs.items()}
    subject = replace(subject, programs=programs)
    layouts = _layouts(args, args.function or subject.function)
    if len(layouts) < 3:
        raise UnusableInput("--at none without --random leaves no layouts to measure")
    seed = random.SystemRandom().randrange(2**31) if args.seed is None else args.seed
    return Plan(
        subject,
        layouts,
        args.cycle,
        args.take,
        args.better,
        tuple(args.argument),
        args.only,
        args.rounds or ROUNDS,
        args.seconds or 0.05,
        args.others or OTHERS,
        seed,
        WARM_UP if args.warm_up is None else args.warm_up,
        args.timeout,
        not args.fixed_addresses,
        args.resume or args.into or Path(f"layout-{subject.name}.jsonl"),
        args.resume is not None,
        len(os.sched_getaffinity(0)),
    )


def _layouts(args: argparse.Namespace, function: str) -> tuple[Layout, ...]:
    """The layout as compiled, the paddings of each way over two cycles, then what lots decide."""
    from fencepost.layout.assembly import Padding
    from fencepost.layout.build import Layout

    span = 2 * args.cycle
    places = [at for at in dict.fromkeys(args.at or ["entry"]) if at != "none"]
    if args.step >= args.cycle:
        raise UnusableInput(
            f"--step {args.step}: it must be smaller than the cycle of {args.cycle}"
        )
    return (
        Layout(),
        *(
            Layout(Padding(at, function, size, span, args.loop))
            for at in places
            for size in range(0, span, args.step)
        ),
        *(Layout(seed=1000 * (args.seed or 0) + number) for number in range(args.random)),
    )


def _pin(processors: list[int] | None) -> bool:
    """Pin to the last processor where nobody said: interrupts prefer the first. False: it could
    not."""
    try:
        pin(processors or [max(os.sched_getaffinity(0))])
    except UnusableInput as problem:
        if processors:
            raise
        print(f"fencepost: {problem}", file=sys.stderr)
        return False
    return True


def _tell(args: argparse.Namespace, path: Path, run: str = "") -> None:
    """Print, and draw with --svg, the findings of a results file, or of one run in it."""
    from fencepost.layout.findings import findings
    from fencepost.layout.text import as_json, report
    from fencepost.results.file import read_file

    measured = read_file(path)
    for remark in measured.remarks:
        print(f"fencepost: {remark}", file=sys.stderr)
    with understood(str(path)):
        found = findings(measured, args.rope, run)
    if args.svg:
        from fencepost.layout.figure import draw

        draw(found, args.svg)
    if args.json:
        for one in found:
            print(json.dumps(labelled("layout", as_json(one))))
    else:
        print("\n".join(report(found, args.all)))
