# SPDX-License-Identifier: MIT
"""Measures commands in turns until it is known how they compare, or the budget ends: round by
round, in each every command once, in an order drawn by lot. What was measured is in the file before
the next command starts; the same file goes on."""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from fencepost.compare.command import TAKES, CommandFailed, programs_of, run_command
from fencepost.compare.posterior import FEWEST_ROUNDS, half_step
from fencepost.compare.select import Query, pairs_of_variants
from fencepost.compare.sequence import ConfidenceSequence
from fencepost.compare.verdict import EQUAL, HIGHER, LOWER, UNKNOWN, Comparison, Rope, compare
from fencepost.console.input_error import UnusableInput
from fencepost.results.file import ResultsFile, read_file
from fencepost.results.machine import machine_facts, new_run, now
from fencepost.results.schema import MACHINE_FACTS, Failure, Measured, Metric, Run, Window
from fencepost.system.json_text import understood

SUBJECT = "commands"
#: A command that fails so often, one time after the other, will not do better.
FAILURES = 3


@dataclass(frozen=True)
class Plan:
    commands: tuple[str, ...]
    take: str
    better: str | None
    rope: Rope
    certainty: float
    #: Seconds, and rounds, after which it ends without an answer.
    budget: float
    rounds: float
    warm_up: int
    timeout: float
    seed: int
    path: Path
    #: The processors that it is pinned to.
    cpu: tuple[int, ...] | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the variants: the commands, told apart by a number where one is there twice."""
        found: list[str] = []
        for command in self.commands:
            times = self.commands[: len(found)].count(command)
            found.append(f"{command} ({times + 1})" if times else command)
        return tuple(found)

    @property
    def metric(self) -> Metric:
        metric = TAKES[self.take]
        return replace(metric, better=metric.better if self.better is None else self.better)


def _listed(processors: Sequence[int] | None) -> list[int] | None:
    return None if processors is None else sorted(set(processors))


def _better_words(better: str) -> str:
    return f"{better} is better" if better else "neither higher nor lower is better"


def _cpu_words(processors: Sequence[int] | None) -> str:
    return "not given" if processors is None else ",".join(map(str, processors))


@dataclass
class Question:
    """The first command beside another one."""

    other: str
    sequence: ConfidenceSequence
    rope: Rope
    ones: list[float] = field(default_factory=list)
    others: list[float] = field(default_factory=list)

    def add(self, one: float, other: float) -> None:
        """A round in which both were measured."""
        self.ones.append(one)
        self.others.append(other)
        self.sequence.add(math.log(one / other))

    def interval(self) -> tuple[float, float]:
        """Confidence interval of the logarithm of the ratio. Where rounds contradict each other,
        the first bound is above the second."""
        low, high = self.sequence.interval()
        if low > high:
            return low, high
        # Steps are no noise, of which alone the bounds know.
        coarseness = half_step(self.ones) + half_step(self.others)
        return low - coarseness, high + coarseness

    @property
    def answer(self) -> str:
        low, high = self.interval()
        border = self.rope.half_width
        if low > high:
            return UNKNOWN
        if low > border:
            return HIGHER
        if high < -border:
            return LOWER
        return EQUAL if -border < low and high < border else UNKNOWN


@dataclass
class Session:
    """A measurement from its start, or from where it was left, to its end."""

    plan: Plan
    file: ResultsFile = field(init=False)
    run: Run = field(init=False)
    questions: list[Question] = field(init=False)
    programs: dict[str, str] = field(init=False)
    next_round: int = 0
    earlier: int = 0
    left_out: int = 0

    def __post_init__(self) -> None:
        plan = self.plan
        error = (1 - plan.certainty) / (len(plan.names) - 1)
        self.questions = [
            Question(other, ConfidenceSequence(error), plan.rope) for other in plan.names[1:]
        ]
        seed = plan.seed
        self.programs = programs_of(plan.commands)
        if plan.path.exists() and plan.path.stat().st_size:
            measured = read_file(plan.path)
            with understood(str(plan.path)):
                seed = self._go_on(measured)
        described = {
            "commands": list(plan.commands),
            "take": plan.take,
            "seed": seed,
            "programs": self.programs,
            "cpu": _listed(plan.cpu),
        }
        facts = {**machine_facts(), **described}
        self.run = Run(new_run(), True, {SUBJECT: [plan.metric]}, facts)
        self.file = ResultsFile(plan.path)
        self.file.write(self.run.to_json())

    def _go_on(self, measured: Measured) -> int:
        """Takes the rounds that are there; returns the seed of their orders."""
        here = machine_facts()
        for run in measured.runs.values():
            if why := self._other_than(run):
                raise UnusableInput(f"{self.plan.path}: {why}; --into names another file")
            for fact in MACHINE_FACTS:
                if run.facts.get(fact) != here[fact]:
                    raise UnusableInput(
                        f"{self.plan.path}: it was begun on another machine: {fact} was "
                        f"{run.facts.get(fact)} and is {here[fact]}; --into names another file"
                    )
        self.left_out = len({failure.round for failure in measured.failures})
        rounds: dict[int, dict[str, float]] = {}
        for window in measured.windows:
            figures = rounds.setdefault(window.round, {})
            figures[window.variant] = window.figures[self.plan.metric.figure]
        for number in sorted(rounds):
            self._count(rounds[number])
        numbers = [*rounds, *(failure.round for failure in measured.failures)]
        self.next_round = max(numbers, default=-1) + 1
        self.earlier = len(rounds)
        return int(next(iter(measured.runs.values())).facts["seed"])

    def _other_than(self, run: Run) -> str | None:
        """Why a run that is there did not measure what would be measured now."""
        plan, facts = self.plan, run.facts
        if facts.get("commands") != list(plan.commands) or facts.get("take") != plan.take:
            return "it holds other measurements than these"
        was = run.metrics[SUBJECT][0].better
        if was != plan.metric.better:
            return (
                f"in it {_better_words(was)}, and here {_better_words(plan.metric.better)} "
                "(--better)"
            )
        if facts.get("cpu") != _listed(plan.cpu):
            return f"--cpu was {_cpu_words(facts.get('cpu'))} and is {_cpu_words(plan.cpu)}"
        if "programs" not in facts:
            return "it does not say which programs were measured, as this version does"
        changed = self._changed(facts["programs"])
        return f"{changed} is another program than it was" if changed else None

    def _changed(self, programs: Mapping[str, str]) -> str | None:
        now = programs_of(self.plan.commands)
        return next(
            (name for name in (*programs, *now) if programs.get(name) != now.get(name)), None
        )

    def _count(self, figures: dict[str, float]) -> None:
        first = figures.get(self.plan.names[0])
        for question in self.questions:
            if first is not None and question.other in figures:
                question.add(first, figures[question.other])

    @property
    def open_questions(self) -> list[Question]:
        return [question for question in self.questions if question.answer == UNKNOWN]

    def measure(self, show: Callable[[Session, float], None]) -> str | None:
        """Until all is answered or the budget ends; returns what went wrong, if something did.
        `show` is told how many seconds are left."""
        trouble = self._measure(show)
        if trouble is None and (changed := self._changed(self.programs)):
            return f"{changed} changed while it was measured: --into another file, measure again"
        return trouble

    def _measure(self, show: Callable[[Session, float], None]) -> str | None:
        plan = self.plan
        start = time.monotonic()
        failures = dict.fromkeys(plan.names, 0)
        warm_up = plan.warm_up
        rounds, longest = 0, 0.0
        while (still_open := self.open_questions) and rounds < plan.rounds:
            began = time.monotonic()
            # The longest round so far must fit in.
            left = plan.budget - (began - start)
            if left < longest:
                return None
            show(self, left)
            names = [plan.names[0], *(question.other for question in still_open)]
            random.Random(f"{self.run.facts['seed']} {self.next_round}").shuffle(names)
            figures: dict[str, float] = {}
            for name in names:
                trouble = self._take(name, figures, warm_up > 0)
                failures[name] = failures[name] + 1 if trouble else 0
                if failures[name] == FAILURES or (trouble and warm_up > 0):
                    return f"{name}: {trouble}"
            if warm_up > 0:
                warm_up -= 1
                continue
            longest = max(longest, time.monotonic() - began)
            rounds += 1
            self.next_round += 1
            self.left_out += len(figures) < len(names)
            self._count(figures)
        return None

    def _take(self, name: str, figures: dict[str, float], warming_up: bool) -> str | None:
        """Measures once; returns why there is nothing to show for it."""
        plan = self.plan
        place = (self.run.id, SUBJECT, "", name, self.next_round)
        try:
            took = run_command(plan.commands[plan.names.index(name)], plan.take, plan.timeout)
        except CommandFailed as problem:
            if not warming_up:
                self.file.write(Failure(*place, str(problem)).to_json())
            return str(problem)
        if not warming_up:
            figures[name] = took.value
            window = Window(
                *place, {plan.metric.figure: took.value}, at=now(), elapsed=took.elapsed
            )
            self.file.write(window.to_json())
        return None

    def comparisons(self) -> list[Comparison]:
        """What is known now: the probabilities of what the file holds, and the answers of the
        bounds that hold at any time. Raises UnusableInput for too few rounds."""
        measured = read_file(self.plan.path)
        found = []
        for question in self.questions:
            if question.sequence.rounds < FEWEST_ROUNDS:
                continue
            names = [self.plan.names[0], question.other]
            (pair,) = pairs_of_variants(measured, names, Query())
            remarks = [*pair.remarks]
            if self.left_out:
                remarks.append(f"{self.left_out} rounds in which a command failed are left out")
            low, high = question.interval()
            if low > high:
                remarks.append("rounds contradict each other: the effect itself changes")
            one = compare(
                replace(pair, remarks=tuple(remarks)), self.plan.rope, self.plan.certainty
            )
            found.append(
                replace(
                    one,
                    verdict=question.answer,
                    questions=len(self.questions),
                    anytime=(low, high),
                )
            )
        return found
