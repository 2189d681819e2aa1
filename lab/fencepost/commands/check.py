# SPDX-License-Identifier: MIT
"""Explore every execution of a C or C++ program that a memory model allows, each one once."""
# What only some calls need, such as drawing, is imported where it is used: most checks are short.

from __future__ import annotations

import argparse
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

from fencepost.check.checks import Checks
from fencepost.console.arguments import new_folder
from fencepost.console.input_error import UnusableInput
from fencepost.console.shown import output_may_be_lost
from fencepost.console.watch import noted_dependencies, repeat
from fencepost.explore.arguments import (
    add_assumptions,
    add_bounds,
    add_jobs,
    add_program,
    models_of,
    refuse_contradictions,
)
from fencepost.explore.arguments import with_counts as with_counts
from fencepost.explore.outcome import UNUSABLE
from fencepost.explore.stop import Stop

#: What follows `--` reaches run() as args.passed_on.
PASSES_ON = True

EPILOG = """\
exit status:
  0  holds: no execution violates anything, under assumptions (--assumptions)
  1  violated: the counterexample is printed
  2  inconclusive: a bound, a time limit or something unsupported was met
  3  the input could not be compiled or run; or it holds, and a file that was asked for, or the
     output, could not be written
With several files or models the gravest of theirs: 3, then 1, 2, 0.

examples:
  fencepost check mutex.cpp
  fencepost check --model sc,c++20,x86 --svg mutex.svg mutex.cpp -- -DTHREADS=3
  fencepost check --link queue.c test_queue.c --all --json
  fencepost check --as-annotated mutex.cpp
"""

OUTPUT = """\
Files are written in folders that are there. With several sources or models each has
a page of its own: --html P.html writes P-queue-cpp20.html of queue.cpp under c++20,
and where two sources are called queue, P-a-queue.cpp-cpp20.html of a/queue.cpp.
So do --svg and --checkpoint."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.usage = "fencepost check FILE... [options] [-- COMPILER FLAGS]"
    add_program(parser)
    parser.add_argument(
        "--as-annotated",
        action="store_true",
        help="each file says itself how it is checked and what is expected: case:, options:, "
        "expect: in the comment at its top. 0 means then that all came as expected",
    )
    add_jobs(
        parser,
        "processors to use: for several checks at a time, then within a check (default 1)",
    )
    parser.add_argument(
        "--cluster",
        metavar="ADDRESS",
        help="share the search with a Dask cluster, of this scheduler (such as tcp://host:8786)",
    )
    bounds = parser.add_argument_group("what is explored, and how far")
    bounds.add_argument("--all", action="store_true", help="go on after a violation, and count")
    bounds.add_argument(
        "--all-races",
        action="store_true",
        help="look for further data races, not just the one that is found first",
    )
    add_bounds(bounds)
    bounds.add_argument(
        "--checkpoint",
        metavar="FILE",
        help="when stopped, keep what is left in FILE; the same command goes on from there. Trust "
        "a file of somebody else's as you would a program",
    )
    output = parser.add_argument_group("output", OUTPUT)
    output.add_argument("--json", action="store_true", help="one object a file and model")
    add_assumptions(output)
    output.add_argument("--svg", metavar="FILE", help="draw the counterexample as a graph")
    output.add_argument("--html", metavar="FILE", help="a page that replays the counterexample")
    output.add_argument("--junit", metavar="FILE", help="the results as JUnit's XML")
    output.add_argument("--sarif", metavar="FILE", help="the violations as SARIF 2.1.0")
    output.add_argument(
        "--watch", action="store_true", help="check again whenever a file or a header changes"
    )
    output.add_argument(
        "--keep",
        type=new_folder,
        metavar="DIR",
        help="keep what was compiled, in DIR/NAME for NAME.cpp; DIR is made where it is missing",
    )


#: What --as-annotated goes without.
NOT_OF_CASES = ("link", "all_races", "checkpoint", "svg", "html", "sarif", "keep")


def run(args: argparse.Namespace) -> int:
    try:
        models = models_of(args.model)
        refuse_contradictions(args)
        if args.as_annotated and (given := [one for one in NOT_OF_CASES if getattr(args, one)]):
            options = ", ".join(f"--{one.replace('_', '-')}" for one in given)
            raise UnusableInput(
                f"--as-annotated is of each case of each file: leave {options} out, or check the "
                "one case by its flags and options"
            )
        if args.all_races and (args.all or args.checkpoint or args.cluster):
            raise UnusableInput(
                "--all-races searches once for each race; it goes with none of --all, "
                "--checkpoint and --cluster"
            )
        if args.cluster is not None and args.jobs > 1:
            raise UnusableInput("--jobs is for this computer, --cluster for others: choose one")

        def once() -> tuple[int, set[Path], bool]:
            with ExitStack() as stack:
                cluster = None
                if args.cluster is not None:
                    from fencepost.explore.cluster import Cluster

                    cluster = stack.enter_context(Cluster(args.cluster))
                stop = Stop()
                stack.enter_context(stop.handled())  # until the directory is removed
                directory = stack.enter_context(tempfile.TemporaryDirectory(prefix="fencepost-"))
                check = Checks(args, models, Path(directory), cluster, stop)
                return check.run(), noted_dependencies(Path(directory)), stop.asked

        own = {Path(given) for given in (*args.files, *args.trust) if not given.startswith("-l")}
        if args.watch:
            return repeat(once, own)
        with output_may_be_lost():
            return once()[0]
    except UnusableInput as error:
        print(f"fencepost: {error}", file=sys.stderr)
    return UNUSABLE
