# SPDX-License-Identifier: MIT
"""Which figures of which rounds are compared with which, and what speaks against it."""

from __future__ import annotations

import difflib
import fnmatch
import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from fencepost.console.input_error import UnusableInput
from fencepost.results.schema import MACHINE_FACTS, Measured, Metric, Run, Window

#: Differences between runs that may be the very question, and are told.
_TOLD_FACTS = ("compiler", "flags", "commit", "libc")


@dataclass(frozen=True)
class Query:
    """What of the results is meant."""

    metric: str | None = None
    work: re.Pattern[str] | None = None
    #: Rounds with the same number belong together, whatever the files say: those of a run that
    #: both sides have, or where they have none together, those of any.
    paired: bool = False
    across_machines: bool = False
    all_pairs: bool = False

    def takes(self, window: Window) -> bool:
        place = f"{window.subject}/{window.work}"
        return self.work is None or bool(self.work.search(place))


@dataclass(frozen=True)
class Sample:
    """The figures of one side, by (run, round)."""

    name: str
    subject: str
    work: str
    metric: Metric
    figures: dict[tuple[str, int], float]
    runs: tuple[Run, ...]

    @property
    def in_turns(self) -> bool:
        return all(run.interleaved for run in self.runs)


@dataclass(frozen=True)
class Pair:
    """Two sides of a comparison: round by round where that is possible."""

    one: Sample
    other: Sample
    ones: tuple[float, ...]
    others: tuple[float, ...]
    in_turns: bool
    remarks: tuple[str, ...] = field(default=())


def nearest(name: str, known: Iterable[str], what: str) -> str:
    """Sentence about a name that is not known."""
    names = sorted(set(known))
    near = difflib.get_close_matches(name, names, n=3, cutoff=0.4)
    if near:
        return f"there is no {what} {name!r}; did you mean {' or '.join(near)}?"
    shown = ", ".join(names[:12]) + (", …" if len(names) > 12 else "")
    return f"there is no {what} {name!r}; there are: {shown}"


def pairs_of_variants(measured: Measured, names: Sequence[str], wanted: Query) -> list[Pair]:
    """The first variant against each other one, or all pairs, in every work that has both. A name
    may be a pattern (`*`). Raises UnusableInput."""
    windows = [window for window in measured.windows if wanted.takes(window)]
    if not windows:
        raise UnusableInput("there are no windows in these results that match")
    known = list(dict.fromkeys(window.variant for window in windows))
    chosen: list[str] = []
    for name in names:
        found = [one for one in known if one == name] or fnmatch.filter(known, name)
        if not found:
            raise UnusableInput(nearest(name, known, "variant"))
        chosen += [one for one in found if one not in chosen]
    if len(chosen) < 2:
        raise UnusableInput(f"one variant, {chosen[0]!r}, is nothing to compare")
    return _pairs(measured, windows, chosen, lambda w: w.variant, lambda w: w.work, wanted)


def pairs_of_files(files: Sequence[tuple[str, Measured]], wanted: Query) -> list[Pair]:
    """The same variant in two files; where each has one, those. Raises UnusableInput."""
    joined = Measured()
    labels: dict[str, str] = {}
    variants: list[set[tuple[str, str, str]]] = []
    for name, measured in files:
        if set(measured.runs) & set(joined.runs):
            raise UnusableInput(f"{name}: it holds a run that the other file has, too")
        labels.update(dict.fromkeys(measured.runs, name))
        joined.extend(measured)
        variants.append({(w.subject, w.work, w.variant) for w in measured.windows})
    windows = [window for window in joined.windows if wanted.takes(window)]
    alone = all(len({variant for _, _, variant in some}) == 1 for some in variants)

    def work(window: Window) -> str:
        if alone:
            return window.work
        return "/".join(part for part in (window.work, window.variant) if part)

    names = [name for name, _ in files]
    return _pairs(joined, windows, names, lambda w: labels[w.run], work, wanted)


def _pairs(
    measured: Measured,
    windows: Sequence[Window],
    names: Sequence[str],
    label: Callable[[Window], str],
    work: Callable[[Window], str],
    wanted: Query,
) -> list[Pair]:
    by_place: dict[tuple[str, str], dict[str, list[Window]]] = {}
    for window in windows:
        if label(window) in names:
            sides = by_place.setdefault((window.subject, work(window)), {})
            sides.setdefault(label(window), []).append(window)
    combinations = [(a, b) for n, a in enumerate(names) for b in names[n + 1 :]]
    if not wanted.all_pairs:
        combinations = [(names[0], other) for other in names[1:]]
    found = []
    unknown: list[UnusableInput] = []
    for (subject, place), sides in by_place.items():
        for one, other in combinations:
            if one not in sides or other not in sides:
                continue
            try:
                left, right = (
                    _sample(measured, name, subject, place, sides[name], wanted)
                    for name in (one, other)
                )
            except _NoSuchMetric as problem:
                unknown.append(problem)
                continue
            found.append(_pair(left, right, wanted))
    if not found and unknown:
        raise unknown[0]
    if not found:
        told = " and ".join(repr(name) for name in names[:4])
        raise UnusableInput(f"nothing was measured with both: {told}")
    return found


class _NoSuchMetric(UnusableInput):
    """Raised where one subject does not have the metric: others may have it."""


def _sample(
    measured: Measured,
    name: str,
    subject: str,
    work: str,
    windows: Sequence[Window],
    wanted: Query,
) -> Sample:
    runs = {window.run: measured.runs[window.run] for window in windows}
    # In the order in which they were taken, wherever they stand in a file.
    order = {run: place for place, run in enumerate(runs)}
    kept = sorted(
        (window for window in windows if window.kept), key=lambda w: (order[w.run], w.round)
    )
    metrics = [_metric(run, subject, windows, wanted.metric) for run in runs.values()]
    figures_and_units = sorted({f"{m.figure} in {m.unit or 'no unit'}" for m in metrics})
    if len(figures_and_units) > 1:
        told = " and ".join(figures_and_units)
        raise UnusableInput(f"{subject} {work}: {name} was measured as {told}")
    metric = _agreed(metrics, " ".join(part for part in (subject, work) if part))
    figures = {
        (window.run, window.round): window.figures[metric.figure]
        for window in kept
        if metric.figure in window.figures
    }
    return Sample(name, subject, work, metric, figures, tuple(runs.values()))


def _metric(run: Run, subject: str, windows: Sequence[Window], asked: str | None) -> Metric:
    told = {metric.figure: metric for metric in run.metrics.get(subject, ())}
    if asked is None:
        if not told:
            raise UnusableInput(f"{subject}: which figure? --metric names it")
        return next(iter(told.values()))
    if asked in told:
        return told[asked]
    seen = {figure for window in windows for figure in window.figures}
    if asked in seen:
        return Metric(asked, "", "")
    raise _NoSuchMetric(f"{subject}: " + nearest(asked, seen | set(told), "metric"))


def _agreed(metrics: Sequence[Metric], place: str) -> Metric:
    """One figure as several runs describe it. Raises UnusableInput where one calls good what
    another calls bad."""
    said = {metric.better for metric in metrics} - {""}
    if len(said) > 1:
        raise UnusableInput(
            f"{place}: by some of these runs higher {metrics[0].figure} is better, by others lower"
            "; leave out those that are wrong of it"
        )
    return replace(metrics[0], better=next(iter(said), ""))


def _pair(one: Sample, other: Sample, wanted: Query) -> Pair:
    place = " ".join(part for part in (one.subject, one.work) if part)
    if (one.metric.figure, one.metric.unit) != (other.metric.figure, other.metric.unit):
        raise UnusableInput(
            f"{place}: {one.name} is in {one.metric.unit or one.metric.figure}, "
            f"{other.name} in {other.metric.unit or other.metric.figure}"
        )
    metric = _agreed([one.metric, other.metric], place)
    one, other = replace(one, metric=metric), replace(other, metric=metric)
    remarks = _differing_facts(one, other, place, wanted.across_machines)
    sides = []
    for sample in (one, other):
        usable = {at: value for at, value in sample.figures.items() if math.isfinite(value)}
        lost = len(sample.figures) - len(usable)
        if lost:
            remarks.append(f"{sample.name}: {lost} figures that are no numbers are left out")
        if any(value <= 0 for value in usable.values()):
            raise UnusableInput(
                f"{place}: {sample.metric.figure} of {sample.name} is not above zero in "
                f"{sum(value <= 0 for value in usable.values())} of {len(usable)} rounds, "
                "and what is compared are ratios"
            )
        sides.append(usable)
    in_turns = wanted.paired or (one.in_turns and other.in_turns and _same_runs(one, other))
    if in_turns:
        if not _same_runs(one, other):
            sides = [
                _by_number(side, f"{place}: {sample.name}")
                for side, sample in zip(sides, (one, other), strict=True)
            ]
        both = [at for at in sides[0] if at in sides[1]]
        apart = len(sides[0]) + len(sides[1]) - 2 * len(both)
        if apart:
            remarks.append(f"{apart} figures have no counterpart in their round: left out")
        ones, others = ([side[at] for at in both] for side in sides)
    else:
        ones, others = (list(side.values()) for side in sides)
        remarks.append(
            "not measured in turns: whatever the machine did in between counts as a difference"
        )
    return Pair(one, other, tuple(ones), tuple(others), in_turns, tuple(remarks))


def _by_number(figures: dict[tuple[str, int], float], what: str) -> dict[tuple[str, int], float]:
    """The figures by their round's number alone. Raises UnusableInput where several runs have
    it."""
    runs: dict[int, str] = {}
    for run, number in figures:
        if runs.setdefault(number, run) != run:
            raise UnusableInput(
                f"{what} has a round {number} in {runs[number]} and in {run}, and nothing says "
                "which of them is to be paired; --paired needs one of these runs alone"
            )
    return {("", number): value for (_, number), value in figures.items()}


def _same_runs(one: Sample, other: Sample) -> bool:
    return {run.id for run in one.runs} & {run.id for run in other.runs} != set()


def _differing_facts(one: Sample, other: Sample, place: str, across: bool) -> list[str]:
    """Remarks; raises UnusableInput where figures of different machines would be mixed."""
    runs = {run.id: run for run in (*one.runs, *other.runs)}.values()
    remarks = []
    for facts, on_machine in ((MACHINE_FACTS, True), (_TOLD_FACTS, False)):
        for fact in facts:
            values = sorted({str(run.facts[fact]) for run in runs if run.facts.get(fact)})
            if len(values) < 2:
                continue
            told = f"{fact} differs: {' and '.join(values)}"
            if on_machine and not across:
                raise UnusableInput(
                    f"{place}: these are of different machines ({told}); --across-machines "
                    "compares them all the same"
                )
            remarks.append(told)
    return remarks
