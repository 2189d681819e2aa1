# SPDX-License-Identifier: MIT
"""Goes on with an experiment that a file of results holds the beginning of: where it stopped, and
only if it is still the same one."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from fencepost.console.input_error import UnusableInput
from fencepost.measure.experiment import Earlier, Experiment, Request
from fencepost.measure.results import Windows
from fencepost.measure.window import Variant
from fencepost.results.file import read_file
from fencepost.results.machine import machine_facts
from fencepost.results.schema import MACHINE_FACTS, Measured, Run
from fencepost.results.store import is_store

_OPTIONS = {"subjects": "the subjects", "quick": "quick"}


@dataclass(frozen=True)
class ResumedRun:
    """A run that was begun earlier."""

    path: Path
    run: Run
    asked: Request
    measured: Measured

    @property
    def recorded(self) -> Mapping[str, Any]:
        found: Mapping[str, Any] = self.run.facts["experiment"]
        return found

    @property
    def windows(self) -> Windows:
        windows = Windows()
        for window in self.measured.windows:
            if window.run == self.run.id:
                windows.add(window.to_json())
        return windows

    def earlier(self, experiment: Experiment) -> Earlier:
        """What need not be measured again: all rounds before the last one, and in that what is
        there, or failed, or was disturbed so often that it was given up."""
        by_place = {(v.subject, v.work, v.variant): v for v in experiment.variants}
        windows = [one for one in self.measured.windows if one.run == self.run.id]
        failures = [one for one in self.measured.failures if one.run == self.run.id]
        last = max([*(w.round for w in windows), *(f.round for f in failures)], default=0)
        tries: dict[Variant, int] = {}
        earlier = Earlier(last)
        for one in windows:
            variant = by_place.get((one.subject, one.work, one.variant))
            if variant is None or one.round != last:
                continue
            tries[variant] = tries.get(variant, 0) + 1
            if one.kept or tries[variant] == experiment.tries:
                earlier.over.add(variant)
        for failure in failures:
            if variant := by_place.get((failure.subject, failure.work, failure.variant)):
                earlier.failed.add(variant)
        return earlier

    def check_same(self, experiment: Experiment, commit: Mapping[str, Any]) -> None:
        """Raises UnusableInput where what would be measured now is something else."""
        here = {**machine_facts(), **commit}
        for fact in (*MACHINE_FACTS, *commit):
            was, now = self.run.facts.get(fact), here[fact]
            if was != now:
                if fact in ("changed_since_commit", "changes"):
                    raise self._refused("sources have changed since, or changed ones were put back")
                what = "of another commit" if fact == "commit" else "begun on another machine"
                raise self._refused(f"it is {what}: {fact} was {was} and is {now}")
        was, now = dict(self.recorded), experiment.to_json()
        for name, print_ in now["programs"].items():
            if was.get("programs", {}).get(name) != print_:
                raise self._refused(f"the program {name} is another one than it was")
        for key in ("programs", "windows"):
            if was.get(key) != now[key]:
                raise self._refused(f"it measures {_names(was.get(key))}, not {_names(now[key])}")

    def _refused(self, why: str) -> UnusableInput:
        return UnusableInput(f"--resume {self.path}: {why}; without --resume a new run begins")


def _names(found: Any) -> str:
    return ", ".join(f"{key} ({value})" for key, value in dict(found or {}).items()) or "nothing"


def begun(path: Path, asked: Request) -> ResumedRun:
    """The last run of a file, and what it asked for, if that is not contradicted. More rounds may
    be asked for. Raises UnusableInput."""
    if not path.is_file():
        raise UnusableInput(f"--resume {path}: there is no such file")
    if is_store(path):
        raise UnusableInput(f"--resume {path}: only a file of JSON Lines can be gone on with")
    measured = read_file(path)
    for remark in measured.remarks:
        print(f"fencepost: {remark}", file=sys.stderr)
    runs = [run for run in measured.runs.values() if "experiment" in run.facts]
    if not runs:
        raise UnusableInput(f"--resume {path}: it holds no run of 'fencepost bench'")
    run = runs[-1]
    recorded = dict(run.facts["experiment"])
    try:
        numbers = {name: recorded[name] for name in ("rounds", "warm_up", "others", "seed")}
        fields = set(vars(Request()))
        was = Request.from_json({k: v for k, v in recorded.items() if k in fields})
    except (KeyError, TypeError, ValueError) as problem:
        raise UnusableInput(f"--resume {path}: {problem}") from None
    for name, value in vars(asked).items():
        unsaid = value in (None, (), False)
        if name == "rounds" or unsaid or value == getattr(was, name):
            continue
        told = getattr(was, name)
        raise UnusableInput(
            f"--resume {path}: {_OPTIONS.get(name, '--' + name.replace('_', '-'))} was "
            f"{_told(told)} there and is {_told(value)} here; leave it out to go on with that run"
        )
    rounds = max(asked.rounds or 0, numbers["rounds"])
    return ResumedRun(path, run, replace(was, **{**numbers, "rounds": rounds}), measured)


def _told(value: Any) -> str:
    if isinstance(value, tuple):
        return ", ".join(value) or "everything"
    return "not given" if value in (None, False) else str(value)
