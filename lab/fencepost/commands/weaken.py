# SPDX-License-Identifier: MIT
"""Find the weakest memory orders under which a program still holds, and what they save."""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from fencepost.binary.source_location import short_path
from fencepost.console.arguments import seconds
from fencepost.console.input_error import Unsupported, UnusableInput
from fencepost.console.progress import ProgressLine
from fencepost.console.shown import output_may_be_lost, print_exactly
from fencepost.console.terminal import in_colour
from fencepost.console.version import labelled
from fencepost.explore.arguments import (
    add_assumptions,
    add_bounds,
    add_jobs,
    add_program,
    refuse_contradictions,
)
from fencepost.explore.outcome import HOLDS, INCONCLUSIVE, UNUSABLE, VIOLATED
from fencepost.explore.run_program import Explorer
from fencepost.explore.stop import Stop
from fencepost.render.trace import Paint
from fencepost.system.worker_threads import WorkerThreads
from fencepost.toolchain.compile_source import C_SUFFIXES
from fencepost.toolchain.toolchain import Program
from fencepost.weaken.answer import Answer, Query
from fencepost.weaken.cases import Case, Cases, OutOfBudget
from fencepost.weaken.costs import Costs
from fencepost.weaken.edits import Edited, edit
from fencepost.weaken.lattice import CALL_OF, Value
from fencepost.weaken.named import Named
from fencepost.weaken.patch import asks_for, build_patched
from fencepost.weaken.result import CHANGES_NOTHING, HOLDS_WITH_IT, Result
from fencepost.weaken.sites import Key
from fencepost.weaken.subjects import subjects_of

#: What follows `--` reaches run() as args.passed_on.
PASSES_ON = True

EPILOG = """\
Several files are several programs (with --link, one): an order may only be as weak as all of them,
under all of the models, allow. That is how the orders of a header are judged by its tests.

exit status:
  0  proven: the orders that are printed hold, and none can be lowered by a step
  1  violated as it is written; with --strengthen, no assignment of orders holds;
     with --assert-minimal, some order can be weaker
  2  inconclusive: the budget was spent, or something unsupported was met; what is known is printed
  3  the input could not be compiled or run

examples:
  fencepost weaken mutex.cpp
  fencepost weaken --model c++20,x86 --diff mutex.cpp > weaker.patch; patch -p1 < weaker.patch
  fencepost weaken --strengthen queue.c
  fencepost weaken --only include/ --needed --assert-minimal tests/*.cpp
"""

STATUS = {
    "minimal": HOLDS,
    "needed": HOLDS,
    "weaker": HOLDS,
    "holds": HOLDS,
    "repaired": HOLDS,
    "violated": VIOLATED,
    "irreparable": VIOLATED,
    "inconclusive": INCONCLUSIVE,
    "unproven": INCONCLUSIVE,
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.usage = "fencepost weaken FILE... [options] [-- COMPILER FLAGS]"
    add_program(parser)
    parser.add_argument(
        "--as-annotated",
        action="store_true",
        help="each file says itself how it is checked: case:, options:, expect: in the comment at "
        "its top; what is to hold is looked at",
    )
    add_jobs(parser, "explorations at a time (default 1); the answer is the same")
    search = parser.add_argument_group("what is looked for")
    search.add_argument(
        "--all", action="store_true", help="every assignment in which nothing can be lowered"
    )
    search.add_argument(
        "--strengthen", action="store_true", help="the smallest repair of a program that fails"
    )
    search.add_argument(
        "--needed",
        action="store_true",
        help="only ask whether each order is needed; not whether the programs hold",
    )
    search.add_argument(
        "--named",
        action="store_true",
        help="with --needed and --only: each order written there must be needed by a program that "
        'the comment at it names ("Proof: NAME"), or no such order may be there',
    )
    search.add_argument(
        "--only",
        action="append",
        default=[],
        metavar="PATH",
        help="vary only what is written in this file or directory; may be repeated",
    )
    search.add_argument(
        "--fence",
        action="append",
        default=[],
        metavar="NAME",
        help="this function is a fence: ask whether each call of it is needed; may be repeated "
        "(known are asymmetric_thread_fence_light, _heavy, and interprocess_ before them)",
    )
    search.add_argument("--budget", type=seconds, default=0.0, metavar="SECONDS", help="in all")
    add_bounds(parser.add_argument_group("what is explored in each check, and how far"))
    output = parser.add_argument_group("output")
    output.add_argument("--diff", action="store_true", help="print the changes as a patch")
    output.add_argument(
        "--assert-minimal", action="store_true", help="exit with 1 if some order can be weaker"
    )
    output.add_argument("--no-costs", action="store_true", help="do not compile for processors")
    output.add_argument("--json", action="store_true", help="one object")
    add_assumptions(output)


def _orders_are_chained(files: list[Path], flags: list[str]) -> bool:
    """Whether the order for failure may not be stronger than that for success: so in C, and in C++
    before C++17."""
    old = re.compile(r"-std=(?:gnu|c)\+\+(?:98|03|0x|11|1y|14)")
    return any(file.suffix == ".c" for file in files) or any(map(old.fullmatch, flags))


def _lies_in(chosen: list[str]) -> Callable[[Path], bool] | None:
    if not chosen:
        return None
    roots = [os.path.realpath(path) for path in chosen]
    for root, path in zip(roots, chosen, strict=True):
        if not Path(root).exists():
            raise UnusableInput("there is no such file or directory", path)

    def lies_in(file: Path) -> bool:
        real = os.path.realpath(file)
        return any(real == root or real.startswith(root + os.sep) for root in roots)

    return lies_in


class _Weaken:
    """One call of `fencepost weaken`."""

    def __init__(self, args: argparse.Namespace, stop: Stop, directory: Path) -> None:
        self._args = args
        self._stop = stop
        self._progress = ProgressLine()
        self._directory = directory
        refuse_contradictions(args)
        self._subjects = subjects_of(args)
        self._cases = self._prepare([] if args.named else list(range(len(self._subjects))))

    def _prepare(self, numbers: list[int]) -> Cases:
        files = [file for subject in self._subjects for file in subject.files]
        only = _lies_in(self._args.only)
        cases = Cases(
            self._build(numbers),
            self._stop.run,
            self._progress.show,
            budget=self._args.budget,
            is_stopped=lambda: self._stop.asked,
            only=only,
            fences=self._args.fence,
            chained=_orders_are_chained(files, self._args.passed_on),
            jobs=self._args.jobs,
        )
        called = {site.operation for site in cases.sites.all}
        for name in self._args.fence if numbers else ():
            if CALL_OF + name not in called:
                cases.close()
                raise UnusableInput(f"--fence {name}: nothing calls a function of that name")
        return cases

    def _build(self, numbers: list[int]) -> list[Case]:
        """Compiles some of the programs: their cases."""
        cases = []
        with WorkerThreads(self._args.jobs) as pool:
            for number, (program, warnings) in zip(
                numbers, pool.in_order(self._program, numbers), strict=True
            ):
                for text in warnings:
                    print(text, file=sys.stderr)
                subject = self._subjects[number]
                title = short_path(subject.case.title) if subject.case.name else ""
                cases += [Case(number, program, bounds, title) for bounds in subject.runs]
        return cases

    def _program(self, number: int) -> tuple[Program, list[str]]:
        warnings: list[str] = []
        subject = self._subjects[number]
        return subject.build(self._directory / str(number), warnings), warnings

    def run(self) -> int:
        began = time.monotonic()
        wanted = Query(self._args.all, self._args.strengthen, self._args.needed)
        try:
            result = self._answer(wanted)
        finally:
            self._cases.close()
            self._progress.clear()
        result.look_at_coverage()
        if result.solutions and not self._args.no_costs:
            result.costs = self._costs(result)
        if self._args.diff and result.solutions:
            changes = result.changes(result.solutions[0])
            result.edited = edit(((site, new) for _, site, _, new in changes), self._is_all_c())
            refused = {site.key for site, _ in result.edited.refused}
            orders = {site.key: new for _, site, _, new in changes if site.key not in refused}
            result.patch_check = self._patch_check(result.edited, orders)
        result.seconds = time.monotonic() - began
        self._tell(result)
        if self._args.assert_minimal and result.verdict == "weaker":
            return VIOLATED
        if result.edited is not None and not result.has_patch:
            return INCONCLUSIVE
        return STATUS[result.verdict]

    def _answer(self, wanted: Query) -> Result:
        if not self._args.named:
            return Answer(self._cases, wanted).result()
        named = Named(self._cases, self._subjects, self._args.only, self._build)
        try:
            return named.result()
        except OutOfBudget:
            return Result(self._cases, reason=self._cases.why_cut_short)

    def _patch_check(self, edited: Edited, orders: Mapping[Key, Value]) -> str:
        """What becomes of the programs when the patch, with these orders, is applied."""
        if not edited.texts:
            return CHANGES_NOTHING
        texts = {path: new for path, (_, new) in edited.texts.items()}
        for number, subject in enumerate(self._subjects):
            directory = self._directory / f"patched-{number}"
            try:
                program = build_patched(list(subject.files), texts, subject.toolchain, directory)
            except (UnusableInput, Unsupported) as error:
                return f"could not be checked: {error}"
            for case in self._cases.cases:
                if case.program != number:
                    continue
                found = self._stop.run(Explorer(program, replace(case.bounds, sites=True)))
                if found.verdict != "holds":
                    return f"{case.name} is {found.verdict} with it"
                if not asks_for(self._cases.sites, orders, number, program, found):
                    return (
                        "edits text that is not what was compiled (another branch of the "
                        "preprocessor, a #line): do not apply it"
                    )
        return HOLDS_WITH_IT

    def _is_all_c(self) -> bool:
        return all(file.suffix in C_SUFFIXES for one in self._subjects for file in one.files)

    def _costs(self, result: Result) -> Costs:
        costs = Costs()
        costs.compile(
            (site.operation, site.size, value)
            for solution in result.solutions
            for _, site, old, new in result.changes(solution)
            if not site.is_call
            for value in (old, new)
        )
        return costs

    def _tell(self, result: Result) -> None:
        if self._args.json:
            print(json.dumps(labelled("weaken", result.to_json())), flush=True)
            return
        paint = Paint(in_colour())
        if result.edited is not None:
            print(result.to_text(paint, self._args.assumptions), file=sys.stderr)
            print_exactly(result.edited.diff() if result.has_patch else "")
        else:
            print(result.to_text(paint, self._args.assumptions), flush=True)


def run(args: argparse.Namespace) -> int:
    stop = Stop()
    if args.needed and (args.all or args.strengthen):
        print("fencepost weaken: --needed goes without --all and --strengthen", file=sys.stderr)
        return UNUSABLE
    if args.named and not (args.needed and args.only):
        print("fencepost weaken: --named goes with --needed and --only", file=sys.stderr)
        return UNUSABLE
    if args.as_annotated and args.link:
        print("fencepost weaken: --as-annotated is of each file: without --link", file=sys.stderr)
        return UNUSABLE
    try:
        with (
            output_may_be_lost(),
            tempfile.TemporaryDirectory(prefix="fencepost-") as directory,
            stop.handled(),
        ):
            return _Weaken(args, stop, Path(directory)).run()
    except UnusableInput as error:
        if stop.asked:  # the terminal's Ctrl-C reached the compiler, too
            print("fencepost: interrupted before anything was known", file=sys.stderr)
            return INCONCLUSIVE
        print(f"fencepost: {error}", file=sys.stderr)
    except Unsupported as error:
        print(f"fencepost: inconclusive: {error}", file=sys.stderr)
        return INCONCLUSIVE
    return UNUSABLE
