# SPDX-License-Identifier: MIT
"""What `fencepost bench` measures: one program of bench/library and one line here each."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from fencepost.measure import counters
from fencepost.results.foreign import metrics_of
from fencepost.results.schema import Metric

#: What some programs tell besides their main figure. Every counter of a program is kept; these have
#: a unit, and a side on which they are better.
ALSO_TOLD = (
    Metric("fairness", "", "higher"),
    Metric("cpu_ns_each", "ns", "lower"),
    Metric("cpu_seconds", "s", "lower"),
    Metric("voluntary_switches", "switches", "lower"),
    Metric("involuntary_switches", "switches", "lower"),
    Metric("cpu_ns_per_wake", "ns", "lower"),
    Metric("signal_ns", "ns", "lower"),
    Metric("signal_reference_cycles", "reference cycles", "lower"),
    Metric("reference_cycles", "reference cycles", "lower"),
    Metric("over_raw_futex", "", "lower"),
    Metric("over_no_clock", "", "lower"),
    Metric("failed_tries_per_section", "tries", "lower"),
    Metric("sleeps", "sleeps", "lower"),
    Metric("lost_wake_ups", "wake-ups", "lower"),
    Metric("cycles", "cycles", "lower"),
    Metric("instructions", "instructions", "lower"),
    Metric("cache_misses", "misses", "lower"),
    *counters.METRICS,
    Metric("process_cpu_seconds", "s", "lower"),
    Metric("process_context_switches", "", "lower"),
)


@dataclass(frozen=True)
class Subject:
    """One benchmark program, what it answers, what a window yields, and how many seconds a window
    lasts."""

    program: str
    question: str
    figure: str
    unit: str
    more_is_better: bool
    seconds: float = 0.1
    #: At most, where a first impression is all that is wanted.
    quick_seconds: float = 0.15

    @property
    def metrics(self) -> tuple[Metric, ...]:
        better = "higher" if self.more_is_better else "lower"
        return (Metric(self.figure, self.unit, better), *ALSO_TOLD)

    def metrics_of(self, _figures: Collection[str]) -> Sequence[Metric]:
        """What a window yields; `_figures` are those that one had."""
        return self.metrics


@dataclass(frozen=True)
class ForeignSubject(Subject):
    """A program that is not ours: its figures are what Google Benchmark says."""

    question: str = "a program of your own"
    figure: str = "cpu_time"
    unit: str = "ns"
    more_is_better: bool = False
    seconds: float = 0.2
    #: What its benchmarks are called.
    names: tuple[str, ...] = ()

    def metrics_of(self, figures: Collection[str]) -> Sequence[Metric]:
        known = {metric.figure: metric for metric in ALSO_TOLD}
        found = metrics_of([one for one in figures if one != "iterations"], self.names)
        return [known.get(metric.figure, metric) for metric in found]


_SUBJECTS = (
    Subject(
        "locks_uncontended",
        "what do lock and unlock cost when nobody else wants the lock?",
        "cpu_time",
        "ns",
        False,
    ),
    Subject(
        "locks_contended",
        "how much work gets done, and how evenly, when many want a lock?",
        "sections_per_second",
        "sections/s",
        True,
        0.5,
    ),
    Subject(
        "shared_locks",
        "how much work gets done when most, or all, only read?",
        "sections_per_second",
        "sections/s",
        True,
        0.2,
    ),
    Subject(
        "event_counts", "what does an increment cost while nobody waits?", "cpu_time", "ns", False
    ),
    Subject(
        "sleep_and_wake",
        "how long does it take to wake a thread that sleeps?",
        "nanoseconds",
        "ns",
        False,
        0.3,
    ),
    Subject(
        "rings",
        "what does it cost to be able to wait for a ring while nobody has to?",
        "items_per_second",
        "items/s",
        True,
        0.2,
    ),
    Subject(
        "protected_reads", "what does it cost to protect what is read?", "cpu_time", "ns", False
    ),
    Subject(
        "replaced_objects",
        "how fast are objects replaced, retired and reclaimed?",
        "objects_per_second",
        "objects/s",
        True,
        0.2,
    ),
    Subject(
        "hash_maps",
        "how many operations does a shared map do, by threads and by mix?",
        "operations_per_second",
        "operations/s",
        True,
        0.2,
    ),
    Subject(
        "event_mutexes",
        "what does the ordering of an event mutex cost, by threads?",
        "sections_per_second",
        "sections/s",
        True,
        0.2,
    ),
    Subject(
        "try_locks",
        "is a lock better taken by test-and-set or by compare-exchange?",
        "sections_per_second",
        "sections/s",
        True,
        0.3,
    ),
    Subject(
        "single_operations",
        "what does one atomic operation cost, by order and by flags?",
        "cpu_time",
        "ns",
        False,
        0.05,
    ),
    Subject(
        "crc32_spin",
        "how fast do threads take turns at a CRC-32 of 16 KiB, by lock?",
        "sections_per_second",
        "sections/s",
        True,
        0.3,
    ),
    Subject(
        "context_switches",
        "what does the interrupt clock cost threads that only switch?",
        "nanoseconds",
        "ns",
        False,
        0.5,
    ),
)

#: By the program's name, which is the subject's.
SUBJECTS = {subject.program: subject for subject in _SUBJECTS}
