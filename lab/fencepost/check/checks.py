# SPDX-License-Identifier: MIT
"""Checks programs under models, several at a time, and says what came of each."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from fencepost.check.files import CheckFiles
from fencepost.check.processors import Processors
from fencepost.check.tasks import Task, Tasks, groups_of
from fencepost.console.input_error import Unsupported, UnusableInput
from fencepost.console.progress import ProgressLine
from fencepost.console.terminal import columns, in_colour
from fencepost.console.version import labelled
from fencepost.execution.schema import Exploration
from fencepost.explore.arguments import bounds_of
from fencepost.explore.outcome import GRAVITY, UNUSABLE, Outcome, in_unicode
from fencepost.explore.passed_spins import with_second_try
from fencepost.explore.run_program import Bounds, Explorer
from fencepost.explore.spurious_wakeups import with_note
from fencepost.explore.stop import Stop
from fencepost.render.outcome_text import outcome_text, summary_line, what_next
from fencepost.render.trace import Paint
from fencepost.system.worker_threads import WorkerThreads
from fencepost.toolchain.toolchain import Program

if TYPE_CHECKING:
    from fencepost.explore.cluster import Cluster

#: With `--all-races`: places of accesses that are passed over, of which the checker holds 64.
MOST_RACES = 63


class Checks:
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
        self._processors = Processors(args.jobs)
        self._stop = stop
        self._progress = ProgressLine()
        self._files = CheckFiles(args, [group[0] for group in groups_of(args)], models)
        self._tasks = Tasks(args, directory, self._files.name_of).all(models)
        self._processors.checks = len(self._tasks)

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

    def _outcome(self, task: Task) -> Outcome:
        outcome = self._found(task)
        if task.case and self._stop.asked:
            return replace(outcome, unlike=("interrupted",))
        return outcome.compared()

    def _found(self, task: Task) -> Outcome:
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
                if self._cluster is None and not self._stop.asked:
                    explore = partial(self._explore, program, name=name)
                    found = with_second_try(bounds, found, explore)
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
