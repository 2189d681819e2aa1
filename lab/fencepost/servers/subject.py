# SPDX-License-Identifier: MIT
"""What a server is to the lab: programs that it needs, loads that it can be put under, and what a
window of one yields."""

from __future__ import annotations

import csv
import math
import re
import shutil
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from fencepost.measure.subjects import Subject
from fencepost.measure.watched import Failed
from fencepost.results.schema import Metric
from fencepost.servers.locks import METRICS
from fencepost.servers.stage import Loaded, Stage
from fencepost.system.json_text import in_words

#: What a server's subject is called in results: this, and the server's name; and behind it, where
#: it is its locks that are looked at.
PREFIX, LOCKS = "server_", "_locks"

LATENCIES = (
    Metric("latency_95th_percentile", "ms", "lower"),
    Metric("latency_99th_percentile", "ms", "lower"),
)
#: Of the server's process while it is loaded; of a program that loads itself, of all its life.
_USED = (
    Metric("cpu_ns_each", "ns", "lower"),
    Metric("switches_each", "switches", "lower"),
    Metric("server_cpu_seconds", "s", ""),
    Metric("server_context_switches", "switches", ""),
)


@dataclass(frozen=True)
class Tool:
    """A program, and the Debian package that has it."""

    program: str
    package: str


@dataclass(frozen=True)
class ServerSubject(Subject):
    metrics_told: tuple[Metric, ...] = ()

    @property
    def metrics(self) -> tuple[Metric, ...]:
        return self.metrics_told


@dataclass(frozen=True)
class Done:
    """What a window got done: so many requests in the server's whole life."""

    figures: dict[str, float]
    count: float
    loaded: Loaded


class Server(ABC):
    """One kind of server. A server is added by a subclass, and a line in servers.py."""

    name: ClassVar[str]
    question: ClassVar[str]
    #: What it gets done in a second: figure and unit.
    figure: ClassVar[str]
    unit: ClassVar[str]
    tools: ClassVar[tuple[Tool, ...]]
    #: The names of its loads.
    workloads: ClassVar[tuple[str, ...]]
    #: Those that are measured where nobody names any.
    usual: ClassVar[tuple[str, ...]]
    usual_threads: ClassVar[int]
    #: What `threads` are.
    threads_are: ClassVar[str]
    seconds: ClassVar[float] = 3.0
    has_latencies: ClassVar[bool] = True

    def __init__(self) -> None:
        self.place: Path | None = None

    @property
    def subject(self) -> ServerSubject:
        main = Metric(self.figure, self.unit, "higher")
        told = (main, *(LATENCIES if self.has_latencies else ()), *_USED)
        return ServerSubject(
            PREFIX + self.name, self.question, self.figure, self.unit, True, self.seconds, 1.0, told
        )

    @property
    def locks_subject(self) -> ServerSubject:
        """Subject for windows in which the server's locks are counted."""
        each = self.unit.removesuffix("s/s")
        question = f"how long do the threads of {self.name} wait for locks, for each {each}?"
        return ServerSubject(
            f"{PREFIX}{self.name}{LOCKS}",
            question,
            METRICS[0].figure,
            METRICS[0].unit,
            False,
            self.seconds,
            1.0,
            METRICS,
        )

    def lacking(self) -> list[Tool]:
        return [tool for tool in self.tools if shutil.which(tool.program) is None]

    @abstractmethod
    def versions(self) -> str:
        """Versions of the server and of what loads it. Raises Failed."""

    def prepare(self, place: Path) -> None:
        """Once, before its first window: makes there what all windows begin with. Raises Failed."""
        self.place = place

    @abstractmethod
    def window(self, stage: Stage, workload: str, threads: int, seconds: float) -> Done:
        """Starts it, loads it, and asks whether it has kept its data whole. Raises Failed."""

    def measured(self, stage: Stage, workload: str, threads: int, seconds: float) -> Done:
        """A window. Raises Failed, too, where what was printed in it makes no sense."""
        try:
            return self.window(stage, workload, threads, seconds)
        except (ValueError, LookupError, TypeError, ArithmeticError, csv.Error) as problem:
            raise Failed(
                f"{self.name}: what was printed is not understood: {in_words(problem)}"
            ) from None

    def done(
        self, each_second: float, count: float, latencies: Sequence[float], loaded: Loaded
    ) -> Done:
        """Describe a window in which `count` requests were done, `each_second` of them a second.
        `latencies` are in ms, of the 95th and the 99th percentile. Raises Failed."""
        if not (0 < count < math.inf and 0 < each_second < math.inf):
            raise Failed("nothing was done in this window")
        if not all(map(math.isfinite, latencies)):
            raise Failed("its latencies are no numbers")
        found = {self.figure: each_second}
        found |= {one.figure: value for one, value in zip(LATENCIES, latencies, strict=False)}
        found |= {
            "cpu_ns_each": loaded.cpu / count * 1e9,
            "switches_each": loaded.switches / count,
            "server_cpu_seconds": loaded.cpu,
            "server_context_switches": float(loaded.switches),
        }
        return Done(found, count, loaded)


def found_number(pattern: str, text: str, what: str) -> float:
    """Raises Failed where the load generator has not said it."""
    match = re.search(pattern, text, re.MULTILINE)
    if match is None:
        raise Failed(f"{what} tells nothing that is understood")
    return float(match[1])
