# SPDX-License-Identifier: MIT
"""What a report says, before anybody decides how it looks: figures by machine, subject, work and
variant, each with its interval, and each variant beside the reference.

Every interval and verdict of a variant is that of `fencepost compare`: the location of its figures
is the posterior distribution of their logarithms, and a verdict the comparison of two variants.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from fencepost.compare.ratios import MOST, Ratio, typical
from fencepost.compare.select import Query, nearest, pairs_of_variants
from fencepost.compare.verdict import Comparison, Rope, compare, judged
from fencepost.console.input_error import UnusableInput
from fencepost.report.bench_targets import TARGETS
from fencepost.results.schema import MACHINE_FACTS, Failure, Measured, Metric, Run, Window

#: Figures that are counts of a distribution's bins, as those of the heavy fences' latency are.
BIN = "bin "
#: Of subjects that have no targets: what the others are naturally seen beside.
_REFERENCES = {
    "event_mutexes": "trunk_unsound",
    "try_locks": "test_and_set",
    "single_operations": "nothing_baseline",
    "crc32_spin": "fencepost_spin_mutex",
    "latency": "private_expedited",
}
#: By this a variant is known as one of the library's own.
OURS = "fencepost_"


@dataclass(frozen=True)
class Request:
    """What of the results is to be reported, and how it is judged."""

    subjects: tuple[str, ...] = ()
    work: re.Pattern[str] | None = None
    reference: str | None = None
    rope: Rope = field(default_factory=lambda: Rope(0.01))
    certainty: float = 0.95


@dataclass
class Variant:
    """Who did the work, what was measured of it, and how that lies beside the reference."""

    name: str
    figures: list[float]
    estimate: Ratio | None
    discarded: int
    #: What else was measured, by the metric's name.
    others: dict[str, Ratio]
    windows: list[Window]
    comparison: Comparison | None = None
    #: Why there is no comparison, where there could be one.
    not_compared: str = ""


@dataclass
class Work:
    """One thing that was done, with its parameters."""

    name: str
    variants: list[Variant]

    def variant(self, name: str) -> Variant | None:
        return next((one for one in self.variants if one.name == name), None)

    @property
    def bare(self) -> str:
        """Without its parameters."""
        return "/".join(part for part in self.name.split("/") if ":" not in part)

    @property
    def parameters(self) -> dict[str, str]:
        parts = [part.partition(":") for part in self.name.split("/") if ":" in part]
        return {name: value for name, _, value in parts}


@dataclass
class Subject:
    """One experiment on one machine."""

    name: str
    metric: Metric
    metrics: tuple[Metric, ...]
    works: list[Work]
    reference: str | None
    failures: list[Failure]
    measured: Measured

    @property
    def comparisons(self) -> list[Comparison]:
        return [v.comparison for w in self.works for v in w.variants if v.comparison]

    @property
    def notes(self) -> dict[str, int]:
        """What speaks against comparisons, and of how many it was said."""
        found: dict[str, int] = {}
        for one in self.comparisons:
            for remark in one.pair.remarks:
                found[remark] = found.get(remark, 0) + 1
        return found

    @property
    def windows(self) -> tuple[int, int]:
        """Kept and discarded."""
        variants = [variant for work in self.works for variant in work.variants]
        discarded = sum(one.discarded for one in variants)
        return sum(len(one.windows) for one in variants), discarded


@dataclass
class Machine:
    """What was measured on one machine; results of different ones are never mixed."""

    facts: Mapping[str, Any]
    runs: list[Run]
    subjects: list[Subject]
    measured: Measured

    @property
    def name(self) -> str:
        said = [str(self.facts["machine"])] if self.facts.get("machine") else []
        if self.facts.get("processors"):
            number = self.facts["processors"]
            said.append(f"{number} processor{'' if number == 1 else 's'}")
        if self.facts.get("kernel"):
            said.append(f"Linux {self.facts['kernel']}")
        return ", ".join(said) or "a machine of which nothing is told"


@dataclass
class Report:
    machines: list[Machine]
    remarks: list[str]
    asked: Request


def gather(
    measured: Measured, asked: Request, say: Callable[[str], None] = lambda _: None
) -> Report:
    """`say` is told what is being done. Raises UnusableInput where nothing is left to report, or a
    name is not known."""
    chosen = _chosen(measured, asked)
    by_machine: dict[tuple[str, ...], list[Run]] = {}
    seen = {window.run for window in chosen.windows} | {one.run for one in chosen.failures}
    for run in chosen.runs.values():
        if run.id in seen:
            key = tuple(str(run.facts.get(fact)) for fact in MACHINE_FACTS)
            by_machine.setdefault(key, []).append(run)
    machines = [_machine(chosen, runs, asked, say) for runs in by_machine.values()]
    return Report(machines, list(measured.remarks), asked)


def _chosen(measured: Measured, asked: Request) -> Measured:
    """What was asked for of all that there is."""
    everything: list[Window | Failure] = [*measured.windows, *measured.failures]
    known = {one.subject for one in everything}
    for name in asked.subjects:
        if name not in known:
            raise UnusableInput(nearest(name, known, "subject"))
    variants = {one.variant for one in everything}
    if asked.reference is not None and asked.reference not in variants:
        raise UnusableInput(nearest(asked.reference, variants, "variant"))

    def takes(one: Window | Failure) -> bool:
        place = f"{one.subject}/{one.work}"
        return (not asked.subjects or one.subject in asked.subjects) and (
            asked.work is None or bool(asked.work.search(place))
        )

    windows = [window for window in measured.windows_in_order() if takes(window)]
    failures = [failure for failure in measured.failures if takes(failure)]
    if not windows and not failures:
        if not everything:
            raise UnusableInput("these results hold no window: nothing was measured")
        raise UnusableInput("there is nothing in these results that matches")
    return Measured(dict(measured.runs), windows, failures)


def _of_runs(measured: Measured, runs: Iterable[Run]) -> Measured:
    known = {run.id: run for run in runs}
    return Measured(
        known,
        [window for window in measured.windows if window.run in known],
        [failure for failure in measured.failures if failure.run in known],
    )


def _machine(
    measured: Measured, runs: list[Run], asked: Request, say: Callable[[str], None]
) -> Machine:
    here = _of_runs(measured, runs)
    everything: list[Window | Failure] = [*here.windows, *here.failures]
    names = dict.fromkeys(one.subject for one in everything)
    subjects = []
    for name in names:
        # What was measured as different figures is never put together.
        by_metrics: dict[tuple[str, str], list[Run]] = {}
        for run in runs:
            main = _metrics(here, run, name)[0]
            if any(one.subject == name and one.run == run.id for one in everything):
                by_metrics.setdefault((main.figure, main.unit), []).append(run)
        for some in by_metrics.values():
            part = _of_runs(here, some)
            part.windows = [one for one in part.windows if one.subject == name]
            part.failures = [one for one in part.failures if one.subject == name]
            say(f"comparing {name}: {len(part.windows)} windows")
            subjects.append(_subject(name, part, asked))
    return Machine(runs[0].facts, runs, subjects, here)


def _metrics(measured: Measured, run: Run, subject: str) -> tuple[Metric, ...]:
    """The metrics that the run names; where it names none, the first figure that there is."""
    if run.metrics.get(subject):
        return tuple(run.metrics[subject])
    of_run = (one for one in measured.windows if one.run == run.id and one.subject == subject)
    figures = next((list(window.figures) for window in of_run if window.figures), ["figure"])
    return tuple(Metric(figure, "", "") for figure in figures)


def _subject(name: str, measured: Measured, asked: Request) -> Subject:
    metrics = _metrics(measured, next(iter(measured.runs.values())), name)
    by_work: dict[str, dict[str, list[Window]]] = {}
    for window in measured.windows:
        variants = by_work.setdefault(window.work, {})
        variants.setdefault(window.variant, []).append(window)
    works = [
        Work(work, [_variant(who, by_work[work][who], metrics) for who in sorted(by_work[work])])
        for work in sorted(by_work, key=work_order)
    ]
    reference = _reference(name, works, asked.reference)
    subject = Subject(name, metrics[0], metrics, works, reference, measured.failures, measured)
    if reference is not None:
        _compare_all(subject, reference, asked)
    return subject


def work_order(name: str) -> list[tuple[int, float, str]]:
    """threads:8 before threads:32."""
    parts = re.split(r"(\d+(?:\.\d+)?)", name)
    return [(1, float(p), "") if n % 2 else (0, 0.0, p) for n, p in enumerate(parts)]


def _variant(name: str, windows: Sequence[Window], metrics: Sequence[Metric]) -> Variant:
    kept = [window for window in windows if window.kept]
    figure = metrics[0].figure
    figures = [window.figures[figure] for window in kept if figure in window.figures]
    others = {}
    for metric in metrics[1:]:
        values = [one.figures[metric.figure] for one in kept if metric.figure in one.figures]
        found = typical(values, most=MOST.get(metric.figure, math.inf))
        if found is not None:
            others[metric.figure] = found
    middle = typical(figures, most=MOST.get(figure, math.inf))
    return Variant(name, figures, middle, len(windows) - len(kept), others, kept)


def _reference(subject: str, works: Sequence[Work], asked: str | None) -> str | None:
    """The one that was asked for; else the one that most targets name; else the one that most works
    have, ours before others."""
    seen: dict[str, int] = {}
    for work in works:
        for variant in work.variants:
            seen[variant.name] = seen.get(variant.name, 0) + 1
    if asked is not None:
        return asked if asked in seen else None
    if len(seen) < 2:
        return None
    aimed = Counter(
        name
        for one in TARGETS
        if one.subject == subject and one.peer
        for name in (one.ours, one.peer)
        if name in seen
    )
    if aimed:
        return aimed.most_common(1)[0][0]
    if _REFERENCES.get(subject) in seen:
        return _REFERENCES[subject]
    return min(seen, key=lambda name: (-seen[name], not name.startswith(OURS), name))


def _compare_all(subject: Subject, reference: str, asked: Request) -> None:
    """Each variant beside the reference; all of a subject are one family of questions."""
    places: list[Variant] = []
    found: list[Comparison] = []
    for work in subject.works:
        windows = [window for window in subject.measured.windows if window.work == work.name]
        here = replace(subject.measured, windows=windows, remarks=[])
        for variant in work.variants:
            if variant.name == reference or work.variant(reference) is None:
                continue
            wanted = Query(metric=subject.metric.figure)
            try:
                pair = pairs_of_variants(here, [variant.name, reference], wanted)[0]
                comparison = compare(pair, asked.rope, asked.certainty)
            except UnusableInput as problem:
                variant.not_compared = problem.message
                continue
            places.append(variant)
            found.append(comparison)
    for variant, comparison in zip(places, judged(found), strict=True):
        variant.comparison = comparison
