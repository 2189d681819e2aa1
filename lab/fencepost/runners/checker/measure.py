# SPDX-License-Identifier: MIT
"""Round after round, each program once a round with each checker, and a fixed piece of work beside
it that says how fast the machine was just then."""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from fencepost.runners.checker.exploring import CannotMeasure, Checker, Run, explore
from fencepost.runners.checker.programs import Subject

CALIBRATION = Path(__file__).resolve().parent / "calibration.c"


@dataclass
class Figures:
    """What one checker made of one program, round by round."""

    subject: Subject
    runs: list[Run] = field(default_factory=list)
    #: CPU seconds of the fixed piece of work, just before.
    calibrations: list[float] = field(default_factory=list)
    #: Why there are no (more) figures.
    trouble: str | None = None

    @property
    def cpu_seconds(self) -> list[float]:
        return [run.cpu_seconds for run in self.runs]

    @property
    def relative(self) -> list[float]:
        """CPU time in units of the fixed piece of work."""
        return [
            run.cpu_seconds / work for run, work in zip(self.runs, self.calibrations, strict=True)
        ]

    @property
    def executions_per_second(self) -> float:
        return self.runs[0].executions / statistics.median(self.cpu_seconds)

    def add(self, run: Run, calibration: float) -> None:
        self.runs.append(run)
        self.calibrations.append(calibration)
        if run.executions != self.subject.executions:
            raise CannotMeasure(
                f"{run.executions:,} executions instead of {self.subject.executions:,}"
            )


class Progress:
    """One line on a terminal, rewritten; nothing elsewhere."""

    def __init__(self, steps: int) -> None:
        self.steps = steps
        self.done = 0
        self.start = time.monotonic()
        self.shown = sys.stderr.isatty()

    def say(self, what: str) -> None:
        if self.shown:
            print(f"\r{what}"[:99].ljust(100), end="", file=sys.stderr, flush=True)

    def step(self, what: str) -> None:
        left = ""
        if self.done:
            seconds = (time.monotonic() - self.start) / self.done * (self.steps - self.done)
            left = f", {seconds:.0f} s left"
        self.say(f"{self.done}/{self.steps}{left}: {what}")
        self.done += 1

    def close(self) -> None:
        self.say("")
        if self.shown:
            print("\r", end="", file=sys.stderr, flush=True)


def build_calibration(directory: Path) -> Path:
    program = directory / "calibration"
    subprocess.run(["gcc", "-O2", "-o", str(program), str(CALIBRATION)], check=True)
    return program


def calibrate(program: Path) -> float:
    """CPU seconds of a fixed piece of work."""
    said = subprocess.run([str(program)], capture_output=True, text=True, check=True).stdout
    return float(said.split()[0])


def measure(
    checkers: Sequence[Checker], subjects: Sequence[Subject], rounds: int, directory: Path
) -> dict[str, list[Figures]]:
    """The figures of each checker by its name. Interrupted, it returns what there is."""
    figures = {checker.name: [Figures(subject) for subject in subjects] for checker in checkers}
    programs: dict[tuple[str, int], Path] = {}
    progress = Progress(len(subjects) * len(checkers) * (rounds + 1))
    try:
        calibration = build_calibration(directory)
        for n, subject in enumerate(subjects):
            for checker in checkers:
                progress.step(f"building {subject.name} with {checker.name}")
                try:
                    where = directory / checker.name / str(n)
                    programs[checker.name, n] = checker.program(subject, where)
                except CannotMeasure as trouble:
                    figures[checker.name][n].trouble = str(trouble)
        for number in range(rounds):
            for n, subject in enumerate(subjects):
                # Who comes first, in turns.
                for checker in checkers if number % 2 == 0 else reversed(checkers):
                    progress.step(f"round {number + 1}: {subject.name} with {checker.name}")
                    own = figures[checker.name][n]
                    if own.trouble:
                        continue
                    try:
                        work = calibrate(calibration)
                        own.add(explore(programs[checker.name, n], subject), work)
                    except CannotMeasure as trouble:
                        own.trouble = str(trouble)
    except KeyboardInterrupt:
        progress.close()
        print("interrupted; this is what was measured until then", file=sys.stderr)
    progress.close()
    return figures
