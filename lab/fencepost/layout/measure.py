# SPDX-License-Identifier: MIT
"""Measures a program at every layout, in turns, by the windows of `fencepost bench`."""

from __future__ import annotations

import hashlib
import os
import re
import shlex
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from fencepost.asm.targets import version
from fencepost.binary.object_symbols import symbols
from fencepost.compare.command import TAKES, CommandFailed, last_number
from fencepost.console.input_error import UnusableInput
from fencepost.layout.build import Builder, Built, Layout, check_moved
from fencepost.layout.programs import Subject
from fencepost.measure.results import Results, Windows
from fencepost.measure.subjects import Subject as Benchmark
from fencepost.measure.watched import Failed, run_watched
from fencepost.measure.window import Outcome, Taking, Variant, list_variants
from fencepost.measure.windows import Measuring, Taken, drawn_rounds, measure_rounds
from fencepost.results.file import read_file
from fencepost.results.machine import machine_facts
from fencepost.results.schema import MACHINE_FACTS, Measured, Run
from fencepost.system.json_text import understood
from fencepost.system.worker_threads import WorkerThreads

BENCHMARK = "benchmark"
#: What a measurement takes of a program.
TAKEN = (BENCHMARK, *TAKES)
#: Makes the environment, and so the stack, begin elsewhere.
STACK = "FENCEPOST_LAYOUT_STACK"


@dataclass(frozen=True)
class Plan:
    subject: Subject
    layouts: tuple[Layout, ...]
    cycle: int
    #: None: what the program is made for.
    take: str | None
    better: str
    arguments: tuple[str, ...]
    only: re.Pattern[str] | None
    rounds: int
    seconds: float
    others_limit: float
    seed: int
    warm_up: int
    timeout: float | None
    #: Whether stack and heap are elsewhere in each window.
    randomised: bool
    path: Path
    #: Whether the last run there is gone on with.
    resumed: bool
    #: Of this machine, before anything was pinned.
    processors: int

    @property
    def results_subject(self) -> str:
        return f"layout_{self.subject.name}"


@dataclass(frozen=True)
class Item:
    """One variant at one layout, and what of it is measured where that is several."""

    variant: str
    built: Built
    launcher: Path
    benchmark: str = ""

    @property
    def work(self) -> str:
        bare = re.sub(r"/(iterations:\\d+|manual_time|real_time)", "", self.benchmark)
        return "/".join(part for part in (self.built.layout.name, bare) if part)


def build(plan: Plan, directory: Path) -> list[tuple[str, Built]]:
    """Every variant at every layout. Raises UnusableInput."""
    workshops = {
        name: Builder(program, directory / name, plan.cycle)
        for name, program in plan.subject.programs.items()
    }
    made: list[tuple[str, Built]] = []
    for name, workshop in workshops.items():
        workshop.prepare(plan.layouts)
        try:
            with WorkerThreads(os.cpu_count()) as pool:
                built = list(pool.in_order(workshop.build, plan.layouts))
        except OSError as problem:
            raise UnusableInput(f"{directory}: {problem.strerror}") from None
        check_moved(built)
        made += [(name, one) for one in built]
    return made


def taken_of(plan: Plan, executable: Path) -> str:
    """What is measured of the program where nobody said: what Google Benchmark measures, where it
    is linked to that, or else the CPU time of the whole. Raises UnusableInput."""
    linked = any("9benchmark" in symbol.name for symbol in symbols(executable))
    take = plan.take or plan.subject.take or (BENCHMARK if linked else "cpu")
    if take == BENCHMARK and not linked:
        raise UnusableInput(
            f"{plan.subject.name} is no program of Google Benchmark's (-- -lbenchmark links it); "
            "--take says what else to measure"
        )
    return take


def items_of(plan: Plan, made: Sequence[tuple[str, Built]], take: str) -> list[Item]:
    """Raises UnusableInput where a program has no benchmark that is asked for."""
    found = []
    for variant, built in made:
        launcher = _launcher(built, plan.randomised)
        names = [""]
        if take == BENCHMARK:
            names = _benchmarks(built, plan.only)
        found += [Item(variant, built, launcher, name) for name in names]
    return found


def _benchmarks(built: Built, only: re.Pattern[str] | None) -> list[str]:
    listed = [one.name for one in list_variants("", built.executable)]
    chosen = [name for name in listed if only is None or only.search(name)]
    if not chosen:
        told = f"no benchmark matches {only.pattern!r}" if only else "there is no benchmark"
        raise UnusableInput(f"{built.program.name}: {told}; there are {', '.join(listed[:12])}")
    return chosen


def _launcher(built: Built, randomised: bool) -> Path:
    """What is started: the executable, or what starts it with another stack or fixed addresses."""
    words = []
    if built.layout.stack:
        words += ["env", f"{STACK}={'x' * built.layout.stack}"]
    if not randomised:
        words += ["setarch", "--addr-no-randomize"]
    if not words:
        return built.executable
    launcher = built.executable.with_suffix(".sh")
    launcher.write_text(
        f'#!/bin/sh\nexec {shlex.join(words)} {shlex.quote(str(built.executable))} "$@"\n'
    )
    launcher.chmod(0o755)
    return launcher


def check_fixed_addresses() -> None:
    """Raises UnusableInput where the kernel or a sandbox does not let them be fixed."""
    try:
        done = subprocess.run(
            ["setarch", "--addr-no-randomize", "true"], capture_output=True, text=True
        )
        said = done.stderr.strip() if done.returncode else ""
    except OSError:
        said = "there is no setarch (Debian: util-linux)"
    if said:
        raise UnusableInput(
            f"addresses cannot be fixed here: {said}; without --fixed-addresses the kernel draws "
            "those of stack and heap anew for each window"
        )


def _flags(item: Item) -> str:
    return shlex.join(["-O2", *item.built.program.flags])


def _figure(take: str) -> str:
    return "cpu_time" if take == BENCHMARK else TAKES[take].figure


def _unit(plan: Plan, take: str) -> str:
    if take == BENCHMARK:
        return "ns"
    return plan.subject.unit if take == "number" else TAKES[take].unit


def identity(plan: Plan, take: str) -> dict[str, Any]:
    """What the line about the run says of the layouts, and what must be the same for it to be gone
    on with."""
    programs = {}
    for name, program in plan.subject.programs.items():
        content = hashlib.sha256()
        for source in program.sources:
            content.update(source.read_bytes())
        programs[name] = [
            version(program.command()[0]),
            *program.flags,
            *(source.name for source in program.sources),
            content.hexdigest()[:16],
        ]
    padding = next((one.padding for one in plan.layouts if one.padding), None)
    return {
        "program": plan.subject.name,
        "programs": programs,
        "function": padding.function if padding else None,
        "loop": padding.loop if padding else None,
        "layouts": [layout.name for layout in plan.layouts],
        "cycle": plan.cycle,
        "take": take,
        "only": plan.only.pattern if plan.only else None,
        "arguments": list(plan.arguments),
        "fixed_addresses": not plan.randomised,
    }


@dataclass
class Session:
    """Measures a plan from its start, or from where it was left."""

    plan: Plan
    take: str
    items: Sequence[Item]
    pinned: bool
    results: Results = field(init=False)
    windows: Windows = field(default_factory=Windows)
    _done: dict[tuple[str, str], int] = field(default_factory=dict)
    _warm: set[Item] = field(default_factory=set)

    def __post_init__(self) -> None:
        plan, known = self.plan, identity(self.plan, self.take)
        run, facts, self.seed = "", {}, plan.seed
        if plan.resumed:
            measured = read_file(plan.path)
            with understood(f"--resume {plan.path}"):
                begun = self._begun(measured, known)
                run, facts, self.seed = begun.id, dict(begun.facts), int(begun.facts["seed"])
        subject = Benchmark(
            plan.results_subject,
            plan.subject.question,
            _figure(self.take),
            _unit(plan, self.take),
            plan.better == "higher",
        )
        more = {"layout": known, "seed": self.seed, "processors": plan.processors}
        self.results = Results(plan.path, {plan.results_subject: subject}, more, run, facts)

    def _begun(self, measured: Measured, known: dict[str, Any]) -> Run:
        """The run that is gone on with. Raises UnusableInput."""
        runs = [run for run in measured.runs.values() if "layout" in run.facts]
        if not runs:
            raise UnusableInput(f"--resume {self.plan.path}: it holds no run of --layout")
        run = runs[-1]
        here = {**machine_facts(), "processors": self.plan.processors}
        for fact in MACHINE_FACTS:
            if run.facts.get(fact) != here[fact]:
                raise UnusableInput(
                    f"--resume {self.plan.path}: it was begun on another machine: {fact} was "
                    f"{run.facts.get(fact)} and is {here[fact]}"
                )
        for key, value in known.items():
            if run.facts["layout"].get(key) != value:
                raise UnusableInput(
                    f"--resume {self.plan.path}: {key} was {run.facts['layout'].get(key)} there, "
                    f"and is {value} here"
                )
        for window in measured.windows:
            if window.kept and window.run == run.id:
                place = (window.work, window.variant)
                self._done[place] = self._done.get(place, 0) + 1
        return run

    def measure(self) -> Iterator[str]:
        """Appends to the file what it does not hold yet; yields what goes wrong."""
        plan = self.plan
        counts = {item: self._done.get((item.work, item.variant), 0) for item in self.items}

        def failed(item: Item, number: int, message: str) -> None:
            self.results.failure(self._variant(item), number, message)

        into = Measuring(self.results, self.windows, plan.others_limit, failed=failed)
        try:
            yield from measure_rounds(
                drawn_rounds(counts, plan.rounds, self.seed),
                sum(max(0, plan.rounds - count) for count in counts.values()),
                lambda item: f"{item.variant} {item.work}",
                self._take,
                into,
            )
        finally:
            self.results.close()

    def _variant(self, item: Item) -> Variant:
        return Variant(self.plan.results_subject, item.work, item.variant, item.benchmark)

    def _take(self, item: Item) -> Taken:
        """Raises Failed."""
        if item not in self._warm:
            for _ in range(self.plan.warm_up):
                self._window(item)
            self._warm.add(item)
        return [(self._variant(item), self._window(item))]

    def _window(self, item: Item) -> Outcome:
        plan = self.plan
        told = {"compiler": version(item.built.program.command()[0]), "flags": _flags(item)}
        if self.take == BENCHMARK:
            taking = Taking(plan.timeout)
            outcome = taking.window(item.launcher, item.benchmark, plan.seconds)
            return replace(outcome, context={**outcome.context, **told})
        command = [str(item.launcher), *plan.arguments]
        watched = run_watched(command, plan.seconds, plan.timeout)
        if self.take == "number":
            try:
                value = last_number(watched.output)
            except CommandFailed as problem:
                raise Failed(str(problem)) from None
        else:
            value = watched.elapsed if self.take == "wall" else watched.cpu
        figures = {
            _figure(self.take): value,
            "process_cpu_seconds": watched.cpu,
            "process_context_switches": float(watched.switches),
        }
        context = {**told, "pinned": "yes" if self.pinned else "no"}
        others = watched.others(os.sched_getaffinity(0))
        return Outcome(figures, context, watched.elapsed, others)
