# SPDX-License-Identifier: MIT
"""What a line of measured results says: the schema of docs/results.md, and nothing about files."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from fencepost.input_error import UnusableInput
from fencepost.json_text import as_figure, as_float, as_whole

SCHEMA = 2

#: What must be the same for figures to be comparable.
MACHINE_FACTS = ("machine", "processors", "kernel", "governor")

#: Facts that are looked into. The others are only told.
_SHAPES = {"experiment": dict, "layout": dict, "commands": list, "resumed": list, "seed": int,
           "discarded": int}  # fmt: skip


@dataclass(frozen=True)
class Metric:
    """One figure of a subject; `better` is "higher", "lower" or "" where nobody said."""

    figure: str
    unit: str
    better: str

    def to_json(self) -> dict[str, str]:
        return {"figure": self.figure, "unit": self.unit, "better": self.better}


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
            str(subject): [Metric(str(m["figure"]), str(m["unit"]), str(m["better"])) for m in some]
            for subject, some in line["metrics"].items()
        }
        known = ("kind", "schema", "run", "interleaved", "metrics")
        facts = {key: value for key, value in line.items() if key not in known}
        for key, kind in _SHAPES.items():
            if not isinstance(facts.get(key), kind | None):
                raise ValueError(f"its {key!r} is of another kind than it has here")
        return Run(str(line["run"]), bool(line["interleaved"]), metrics, facts)


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
            str(line["run"]),
            str(line["subject"]),
            str(line["work"]),
            str(line["variant"]),
            as_whole(line["round"]),
            {str(key): as_figure(value) for key, value in line["figures"].items()} | _bins(line),
            bool(line["kept"]),
            str(line.get("at", "")),
            as_float(line.get("elapsed", math.nan)),
            as_float(line.get("others_cpu", math.nan)),
        )


def _bins(line: Mapping[str, Any]) -> dict[str, float]:
    """The figures `bin N` of the shorter form, in which they are an array."""
    if "bins" not in line:
        return {}
    first = as_whole(line["first_bin"])
    return {f"bin {first + n}": as_figure(many) for n, many in enumerate(line["bins"]) if many}


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
        texts = [str(line[key]) for key in ("run", "subject", "work", "variant")]
        return Failure(texts[0], texts[1], texts[2], texts[3], as_whole(line["round"]),
                       str(line["message"]))  # fmt: skip


@dataclass
class Measured:
    """What files of results say, in the order in which it was written."""

    runs: dict[str, Run] = field(default_factory=dict)
    windows: list[Window] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
    #: What a reader must be told: that a file ends in the middle of a line, for example.
    remarks: list[str] = field(default_factory=list)

    def add(self, line: Mapping[str, Any]) -> None:
        """A line as it is in a file. Raises KeyError, TypeError, ValueError or UnusableInput."""
        kind = line["kind"]
        if kind == "run":
            run = Run.from_json(line)
            self.runs[run.id] = run
            return
        if line["run"] not in self.runs:
            raise ValueError("it belongs to a run that no line before it describes")
        if kind == "window":
            self.windows.append(Window.from_json(line))
        elif kind == "failure":
            self.failures.append(Failure.from_json(line))
        else:
            raise ValueError(f"kind {kind!r}")

    def extend(self, other: Measured) -> None:
        """What is in both counts once: files that overlap, or the same one twice."""
        known = set(self.runs)
        self.runs.update(other.runs)
        self.windows += [one for one in other.windows if one.run not in known]
        self.failures += [one for one in other.failures if one.run not in known]
        self.remarks += other.remarks


def part_of(measured: Measured, run: str) -> Measured:
    """What belongs to one run. Raises KeyError."""
    return Measured(
        {run: measured.runs[run]},
        [one for one in measured.windows if one.run == run],
        [one for one in measured.failures if one.run == run],
    )
