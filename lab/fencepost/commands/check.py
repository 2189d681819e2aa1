# SPDX-License-Identifier: MIT
"""Explore every execution of a C or C++ program that a memory model allows, each one once."""
# What only some calls need, such as drawing, is imported where it is used: most checks are short.

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from fencepost.console.arguments import new_folder
from fencepost.console.input_error import Unsupported, UnusableInput
from fencepost.console.progress import ProgressLine
from fencepost.console.shown import output_may_be_lost
from fencepost.console.terminal import columns, in_colour
from fencepost.console.version import labelled
from fencepost.console.watch import noted_dependencies, repeat
from fencepost.execution.schema import Exploration
from fencepost.explore.annotated import Case, arguments_of, cases_of
from fencepost.explore.arguments import (
    add_assumptions,
    add_bounds,
    add_jobs,
    add_program,
    bounds_of,
    models_of,
    refuse_contradictions,
    toolchain_of,
)
from fencepost.explore.arguments import with_counts as with_counts
from fencepost.explore.outcome import GRAVITY, UNUSABLE, Outcome, in_unicode
from fencepost.explore.run_program import Bounds, Explorer
from fencepost.explore.spurious_wakeups import with_note
from fencepost.explore.stop import Stop
from fencepost.render.check_files import CheckFiles
from fencepost.render.outcome_text import outcome_text, summary_line, what_next
from fencepost.render.trace import Paint
from fencepost.system.worker_threads import WorkerThreads
from fencepost.toolchain.build_program import build_program, keep
from fencepost.toolchain.toolchain import Program, Toolchain

if TYPE_CHECKING:
    from fencepost.explore.cluster import Cluster

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

#: With `--all-races`: places of accesses that are passed over, of which the checker holds 64.
MOST_RACES = 63


class _Processors:
    """Shares the processors among the checks: while there are enough checks one each, and the last
    ones take what the others have left."""

    def __init__(self, jobs: int) -> None:
        self._jobs = jobs
        self._lock = threading.Lock()
        self._free = jobs
        self.checks = 0  # that have not begun to explore

    @property
    def checks_at_a_time(self) -> int:
        return max(1, min(self._jobs, self.checks))

    def not_needed(self) -> None:
        """One of the checks will explore nothing."""
        with self._lock:
            self.checks -= 1

    @contextmanager
    def for_a_check(self) -> Iterator[int]:
        with self._lock:
            share = max(1, self._free // min(max(1, self.checks), max(1, self._free)))
            self.checks -= 1
            self._free -= share
        try:
            yield share
        finally:
            with self._lock:
                self._free += share


class _Build:
    """A program that is compiled when the first of its models is to be checked, and only then."""

    def __init__(self, make: Callable[[], Program]) -> None:
        self._make = make
        self._lock = threading.Lock()
        self._made: Program | UnusableInput | Unsupported | None = None

    def program(self) -> Program:
        with self._lock:
            if self._made is None:
                try:
                    self._made = self._make()
                except (UnusableInput, Unsupported) as error:
                    self._made = error
        if isinstance(self._made, Program):
            return self._made
        assert self._made is not None
        raise self._made


@dataclass(frozen=True)
class _Task:
    """One program under one model."""

    files: tuple[Path, ...]
    build: _Build
    model: str
    args: argparse.Namespace
    case: Case | None = None
    options: tuple[str, ...] = ()


class _Check:
    """One call of `fencepost check`: every file under every model."""

    def __init__(
        self,
        args: argparse.Namespace,
        models: list[str],
        directory: Path,
        cluster: Cluster | None,
        stop: Stop,
    ) -> None:
        self._args = args
        self._cluster = cluster
        self._processors = _Processors(args.jobs)
        self._stop = stop
        self._progress = ProgressLine()
        self._directory = directory
        files = list(dict.fromkeys(Path(file) for file in args.files))
        groups = [tuple(Path(file) for file in args.files)] if args.link else [(f,) for f in files]
        self._files = CheckFiles(args, [group[0] for group in groups], models)
        self._builds = dict[tuple[tuple[Path, ...], Toolchain], _Build]()
        self._tasks = [
            _Task(group, self._build(group, args), model, args)
            for group in groups
            for model in models
            if not args.as_annotated
        ]
        if args.as_annotated:
            self._tasks = [task for file in files for task in self._annotated(file)]
            if not self._tasks:
                raise UnusableInput(f"these files expect nothing under {' or '.join(models)}")
        self._processors.checks = len(self._tasks)

    def _annotated(self, file: Path) -> Iterator[_Task]:
        """What the comment at the file's top says; of the models that are asked for, if any are."""
        for case in cases_of(file):
            for options in case.runs:
                args = arguments_of(case, options, self._args)
                build = self._build((file,), args)
                for model in case.expected:
                    if not args.model or model in models_of(args.model):
                        yield _Task((file,), build, model, args, case, options)

    def _build(self, files: tuple[Path, ...], args: argparse.Namespace) -> _Build:
        """Each program is compiled once."""
        toolchain = toolchain_of(args)
        number = len(self._builds)
        return self._builds.setdefault(
            (files, toolchain), _Build(self._maker(files, toolchain, self._directory / str(number)))
        )

    def _maker(
        self, group: tuple[Path, ...], toolchain: Toolchain, directory: Path
    ) -> Callable[[], Program]:
        def make() -> Program:
            warnings: list[str] = []
            program = build_program(list(group), toolchain, directory, warnings=warnings)
            for text in warnings:
                print(text, file=sys.stderr)
            if self._args.keep:
                keep(program, self._args.keep / self._files.name_of(group[0]))
            return program

        return make

    def run(self) -> int:
        paint = Paint(in_colour())
        outcomes = []
        with WorkerThreads(self._processors.checks_at_a_time) as pool:
            for outcome in pool.in_order(self._outcome, self._tasks):
                self._progress.clear()
                self._tell(outcome, paint)
                outcomes.append(outcome)
        if not self._args.json:
            told = [summary_line(outcomes), *what_next(outcomes, self._args)]
            print(*filter(None, told), sep="\n", end="\n" if any(told) else "", flush=True)
        status = max((outcome.status for outcome in outcomes), key=GRAVITY.index)
        return self._files.status_with_reports(outcomes, status)

    def _tell(self, outcome: Outcome, paint: Paint) -> None:
        if self._args.json:
            print(json.dumps(in_unicode(labelled("check", outcome.to_json()))), flush=True)
            if outcome.status == UNUSABLE:
                print(f"fencepost: {outcome.error}", file=sys.stderr)
        else:
            stream = sys.stderr if outcome.status == UNUSABLE else sys.stdout
            text = outcome_text(outcome, paint, self._args.assumptions, columns())
            print(text, file=stream, flush=True)

    def _outcome(self, task: _Task) -> Outcome:
        return self._found(task).compared()

    def _found(self, task: _Task) -> Outcome:
        model = task.model
        outcome = Outcome(
            task.files[0],
            task.files,
            model,
            went_on=self._args.all,
            case=task.case,
            options=task.options,
        )
        if self._stop.asked:
            return replace(outcome, exploration=_never_started(model))
        try:
            program = task.build.program()
        except (UnusableInput, Unsupported) as error:
            self._processors.not_needed()
            if self._stop.asked:  # the terminal's Ctrl-C reached the compiler, too
                return replace(outcome, exploration=_never_started(model))
            return replace(outcome, error=error)
        name = f"{outcome.subject} ({model})"
        with self._processors.for_a_check() as jobs:
            try:
                bounds = self._bounds(outcome, task.args, jobs)
                found = self._explore(program, bounds, name)
                found = with_note(program, bounds, found, partial(self._explore_here, program))
            except (UnusableInput, Unsupported) as error:
                return replace(outcome, error=error)
            outcome = self._files.with_its_files(
                replace(outcome, exploration=found, program=program)
            )
            return (
                self._with_further(outcome, task.args, jobs, name)
                if self._args.all_races
                else outcome
            )

    def _with_further(
        self, first: Outcome, args: argparse.Namespace, jobs: int, name: str
    ) -> Outcome:
        """Add the violations that are found when the data races found before are passed over. The
        places of one may be compiled several times; it is told once."""
        assert first.program
        further: list[Outcome] = []
        known: list[tuple[int, int]] = []
        told = set[frozenset[str | None]]()
        last = first
        while True:
            found = last.exploration
            assert found
            if found.violation is None:
                why = last.reason() if found.verdict == "inconclusive" and known else ""
                return replace(first, further=tuple(further), unfinished=why)
            race = found.violation.race
            if race is not None:
                places = frozenset(map(last.names().place, race))
                new = places not in told
                told.add(places)
                known.append(race)
            if last is not first and (race is None or new):
                further.append(self._files.with_its_files(last, len(further) + 2))
            if race is None or len(known) > MOST_RACES:
                why = (
                    f"the search ends with what is no race ({found.violation.kind})"
                    if race is None
                    else f"no more than {MOST_RACES} places are passed over"
                )
                why = why if known else ""
                return replace(first, further=tuple(further), unfinished=why)
            bounds = replace(self._bounds(first, args, jobs), known_races=tuple(known))
            last = replace(first, exploration=self._explore(first.program, bounds, name))
            last = replace(last, drawn={}, unwritten=())

    def _explore_here(self, program: Program, bounds: Bounds) -> Exploration:
        return self._stop.run(Explorer(program, bounds))

    def _explore(self, program: Program, bounds: Bounds, name: str) -> Exploration:
        if self._cluster is None:
            return self._stop.run(
                Explorer(program, bounds, lambda now: self._progress.show(name, now))
            )
        from fencepost.explore.cluster_search import ClusterSearch

        with ClusterSearch(self._cluster, program, bounds) as helpers:
            return self._stop.run(
                Explorer(
                    program,
                    bounds,
                    lambda now: self._progress.show(f"{name}, {helpers.describe()}", now),
                    helpers=helpers,
                )
            )

    def _bounds(self, outcome: Outcome, args: argparse.Namespace, jobs: int) -> Bounds:
        kept = self._args.checkpoint
        return replace(
            bounds_of(args, outcome.model),
            all=self._args.all,
            jobs=max(jobs, args.jobs) if outcome.case else jobs,
            checkpoint=str(self._files.path(kept, outcome, "")) if kept else "",
        )


def _never_started(model: str) -> Exploration:
    return Exploration(model, "inconclusive", 0, 0, 0.0, reason="interrupted before it started")


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
                check = _Check(args, models, Path(directory), cluster, stop)
                return check.run(), noted_dependencies(Path(directory)), stop.asked

        own = {Path(given) for given in (*args.files, *args.trust) if not given.startswith("-l")}
        if args.watch:
            return repeat(once, own)
        with output_may_be_lost():
            return once()[0]
    except UnusableInput as error:
        print(f"fencepost: {error}", file=sys.stderr)
    return UNUSABLE
