# SPDX-License-Identifier: MIT
"""What a line of measured results says: the schema of docs/lab/results.md. Nothing about files."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from fencepost.console.input_error import UnusableInput
from fencepost.system.json_text import as_figure, as_float, as_whole

SCHEMA = 2

_BETTER = ("higher", "lower", "")

#: What must be the same for figures to be comparable.
MACHINE_FACTS = ("machine", "processors", "kernel", "governor")

#: Facts that are looked into. The others are only told.
_SHAPES = {
    "experiment": dict,
    "layout": dict,
    "commands": list,
    "resumed": list,
    "seed": int,
    "discarded": int,
    "programs": dict,
    "cpu": list,
}


def _text(line: Mapping[str, Any], name: str) -> str:
    value = line[name]
    if not isinstance(value, str):
        raise ValueError(f"its {name!r} is {_shown(value)}, which is no text")
    return value


def _truth(line: Mapping[str, Any], name: str) -> bool:
    value = line[name]
    if not isinstance(value, bool):
        raise ValueError(f"its {name!r} is {_shown(value)}, which is neither true nor false")
    return value


def _round(line: Mapping[str, Any]) -> int:
    value = _number(line["round"], "round")
    if value < 0 or value != value // 1:
        raise ValueError(f"its 'round' is {_shown(value)}; rounds are 0, 1, 2 and so on")
    return as_whole(value)


def _number(value: Any, name: str) -> int | float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"its {name!r} is {_shown(value)}, which is no number")
    return value


def _shown(value: Any) -> str:
    return json.dumps(value)[:40]


@dataclass(frozen=True)
class Metric:
    """One figure of a subject; `better` is "higher", "lower" or "" where nobody said."""

    figure: str
    unit: str
    better: str

    def to_json(self) -> dict[str, str]:
        return {"figure": self.figure, "unit": self.unit, "better": self.better}

    @staticmethod
    def from_json(found: Mapping[str, Any]) -> Metric:
        better = _text(found, "better")
        if better not in _BETTER:
            raise ValueError(f"its 'better' is {_shown(better)}: higher, lower or empty are known")
        return Metric(_text(found, "figure"), _text(found, "unit"), better)


@dataclass(frozen=True)
class Run:
    """One start of something that measures: what it measures, on what, and how."""

    id: str
    #: Whether each round has every variant once, so that what a round does to all cancels out.
    interleaved: bool
    #: By subject; the first is what is compared unless something else is asked for.
    metrics: Mapping[str, Sequence[Metric]]
    #: Machine, kernel, compiler, flags, commit, load and whatever else the line says.
    facts: Mapping[str, Any] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        metrics = {name: [one.to_json() for one in some] for name, some in self.metrics.items()}
        return {
            "kind": "run",
            "schema": SCHEMA,
            "run": self.id,
            **self.facts,
            "interleaved": self.interleaved,
            "metrics": metrics,
        }

    @staticmethod
    def from_json(line: Mapping[str, Any]) -> Run:
        if line["schema"] != SCHEMA:
            raise UnusableInput(
                f"schema {str(line['schema'])[:40]}, and this version reads schema {SCHEMA}: "
                "measure again"
            )
        metrics = {
            subject: [Metric.from_json(metric) for metric in some]
            for subject, some in line["metrics"].items()
        }
        known = ("kind", "schema", "run", "interleaved", "metrics")
        facts = {key: value for key, value in line.items() if key not in known}
        for key, kind in _SHAPES.items():
            if not isinstance(facts.get(key), kind | None):
                raise ValueError(f"its {key!r} is of another kind than it has here")
        return Run(_text(line, "run"), _truth(line, "interleaved"), metrics, facts)


@dataclass(frozen=True)
class Window:
    """One repetition of one variant."""

    run: str
    subject: str
    work: str
    variant: str
    round: int
    figures: Mapping[str, float]
    #: False: it was disturbed, and does not count.
    kept: bool = True
    at: str = ""
    elapsed: float = math.nan
    others_cpu: float = math.nan

    def to_json(self) -> dict[str, Any]:
        line: dict[str, Any] = {
            "kind": "window",
            "run": self.run,
            "subject": self.subject,
            "work": self.work,
            "variant": self.variant,
            "round": self.round,
            "kept": self.kept,
        }
        if self.at:
            line["at"] = self.at
        for name, value in (("elapsed", self.elapsed), ("others_cpu", self.others_cpu)):
            if not math.isnan(value):
                line[name] = round(value, 6)
        return {**line, "figures": dict(self.figures)}

    @staticmethod
    def from_json(line: Mapping[str, Any]) -> Window:
        return Window(
            _text(line, "run"),
            _text(line, "subject"),
            _text(line, "work"),
            _text(line, "variant"),
            _round(line),
            {name: as_figure(_number(value, name)) for name, value in line["figures"].items()}
            | _bins(line),
            _truth(line, "kept"),
            _text({"at": "", **line}, "at"),
            as_float(_number(line.get("elapsed", math.nan), "elapsed")),
            as_float(_number(line.get("others_cpu", math.nan), "others_cpu")),
        )


def _bins(line: Mapping[str, Any]) -> dict[str, float]:
    """The figures `bin N` of the shorter form, in which they are an array."""
    if "bins" not in line:
        return {}
    first = as_whole(_number(line["first_bin"], "first_bin"))
    return {
        f"bin {first + n}": as_figure(_number(many, "bins"))
        for n, many in enumerate(line["bins"])
        if many
    }


@dataclass(frozen=True)
class Failure:
    """A repetition that yielded nothing."""

    run: str
    subject: str
    work: str
    variant: str
    round: int
    message: str

    def to_json(self) -> dict[str, Any]:
        return {"kind": "failure", **vars(self)}

    @staticmethod
    def from_json(line: Mapping[str, Any]) -> Failure:
        texts = [_text(line, name) for name in ("run", "subject", "work", "variant")]
        return Failure(texts[0], texts[1], texts[2], texts[3], _round(line), _text(line, "message"))


@dataclass
class Measured:
    """What files of results say, in the order in which it was written."""

    runs: dict[str, Run] = field(default_factory=dict)
    windows: list[Window] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
    #: What a reader must be told: that a file ends in the middle of a line, for example.
    remarks: list[str] = field(default_factory=list)
    #: How many lines said again what another one had said.
    repeated: int = field(default=0, init=False)
    _lines: set[bytes] = field(default_factory=set, init=False, repr=False, compare=False)
    _counted: set[tuple[Any, ...]] = field(
        default_factory=set, init=False, repr=False, compare=False
    )

    def windows_in_order(self) -> list[Window]:
        """Windows as they were taken, run by run and round by round, wherever they stand in a
        file."""
        places = {run: place for place, run in enumerate(self.runs)}
        return sorted(self.windows, key=lambda window: (places[window.run], window.round))

    def add(self, line: Mapping[str, Any]) -> None:
        """A line as it is in a file. Raises KeyError, TypeError, ValueError or UnusableInput."""
        if not isinstance(line, Mapping):
            raise ValueError("it is no JSON object")
        kind = line["kind"]
        if kind == "run":
            run = Run.from_json(line)
            self.runs[run.id] = run
            return
        if line["run"] not in self.runs:
            raise ValueError("it belongs to a run that no line before it describes")
        if kind == "window":
            self.add_window(Window.from_json(line))
        elif kind == "failure":
            self.add_failure(Failure.from_json(line))
        else:
            raise ValueError(f"kind {kind!r}")

    def add_window(self, window: Window) -> None:
        """What is there already counts once. Raises ValueError where a round of a variant has
        another window that counts: which of them is right, nothing says."""
        if self._is_repeated(window.to_json()):
            return
        place = (window.run, window.subject, window.work, window.variant, window.round)
        if window.kept and place in self._counted:
            raise ValueError(
                f"round {window.round} of {window.variant} is there twice in the run {window.run}, "
                "with different figures; take out the one that is wrong"
            )
        if window.kept:
            self._counted.add(place)
        self.windows.append(window)

    def add_failure(self, failure: Failure) -> None:
        """What is there already counts once."""
        if not self._is_repeated(failure.to_json()):
            self.failures.append(failure)

    def _is_repeated(self, line: Mapping[str, Any]) -> bool:
        text = json.dumps(line, sort_keys=True).encode()
        mark = hashlib.blake2b(text, digest_size=16).digest()
        repeated = mark in self._lines
        self._lines.add(mark)
        self.repeated += repeated
        return repeated

    def extend(self, other: Measured) -> None:
        """What is in both counts once: files that overlap, as those of a run before and after it
        was gone on with, or the same one twice. Raises UnusableInput where they contradict each
        other."""
        for run in other.runs.values():
            self.runs[run.id] = _later(self.runs.get(run.id, run), run)
        try:
            for window in other.windows:
                self.add_window(window)
        except ValueError as problem:
            raise UnusableInput(f"these files contradict each other: {problem}") from None
        for failure in other.failures:
            self.add_failure(failure)
        self.remarks += other.remarks


def _later(one: Run, other: Run) -> Run:
    """Return the later of two descriptions of a run. It is the one that was written when the run
    had been resumed more often. Raises UnusableInput where that says nothing."""
    first, second = (len(run.facts.get("resumed") or ()) for run in (one, other))
    if first == second and not _same_line(one, other):
        raise UnusableInput(
            f"the run {one.id} is described in two ways; leave out the file that is wrong of it"
        )
    return one if first >= second else other


def _same_line(one: Run, other: Run) -> bool:
    """Are the runs the same line of JSON, in which what is no number equals itself?"""
    first, second = (json.dumps(run.to_json(), sort_keys=True) for run in (one, other))
    return first == second


def part_of(measured: Measured, run: str) -> Measured:
    """What belongs to one run. Raises KeyError."""
    return Measured(
        {run: measured.runs[run]},
        [one for one in measured.windows if one.run == run],
        [one for one in measured.failures if one.run == run],
    )
