# SPDX-License-Identifier: MIT
"""What the windows of a layout run say: by program, variant and way of moving the code."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from fencepost.compare.posterior import FEWEST_ROUNDS
from fencepost.console.input_error import UnusableInput
from fencepost.layout.analysis import (
    Difference,
    Estimate,
    Numbers,
    Period,
    Spread,
    alike,
    difference,
    effects,
    enough,
    period,
    ratio,
    spread,
)
from fencepost.results.schema import Measured, Metric, Run

_WORK = re.compile(
    r"^(?:as_compiled|(?P<at>entry|function|loop)/padding:(?P<bytes>\d+)"
    r"|random/placement:(?P<seed>\d+))(?:/(?P<rest>.*))?$"
)
AS_COMPILED, RANDOM = "as_compiled", "random"


@dataclass(frozen=True)
class Way:
    """One variant's figures where its code was moved in one way."""

    variant: str
    #: entry, function, loop or random.
    at: str
    #: Paddings in bytes, or the numbers of the placements.
    layouts: tuple[int, ...]
    #: In the metric's unit: the median of all.
    typical: float
    effects: tuple[Estimate, ...]
    spread: Spread
    #: That no layout differs from another.
    p_alike: float
    #: Of paddings.
    period: Period | None
    #: As the compiler placed it, as a multiple of the mean over the layouts.
    as_compiled: Estimate | None


@dataclass(frozen=True)
class Compared:
    one: str
    other: str
    at: str
    difference: Difference


@dataclass(frozen=True)
class Found:
    """Findings about one program, and about one benchmark of it where it has several."""

    subject: str
    benchmark: str
    metric: Metric
    #: What the line about the run says of the layouts.
    layout: Mapping[str, Any]
    runs: tuple[Run, ...]
    ways: tuple[Way, ...]
    compared: tuple[Compared, ...]
    discarded: int


#: Of a run.
_Round = tuple[str, int]
#: By variant, way and layout the figures by round.
_Figures = dict[tuple[str, str, int], dict[_Round, float]]


def findings(measured: Measured, rope: float, run: str = "") -> list[Found]:
    """Return the findings of all runs, or of one. Raises UnusableInput where nothing was moved, or
    too few rounds are there."""
    found = []
    for subject, benchmark, figures, runs, metric, discarded in _grouped(measured, run):
        layout = runs[-1].facts["layout"]
        measured_ones = {variant for variant, _, _ in figures}
        variants = [name for name in layout["programs"] if name in measured_ones]
        places = [
            at
            for at in ("entry", "function", "loop", RANDOM)
            if any(key[1] == at for key in figures)
        ]
        ways = [
            way
            for at in places
            for variant in variants
            if (way := _way(figures, variant, at, int(layout["cycle"])))
        ]
        compared = [
            one
            for at in places
            for pair in combinations(variants, 2)
            if (one := _compared(figures, pair, at, int(layout["cycle"]), rope))
        ]
        if ways:
            found.append(
                Found(
                    subject,
                    benchmark,
                    metric,
                    layout,
                    tuple(runs),
                    tuple(ways),
                    tuple(compared),
                    discarded,
                )
            )
    if not found:
        raise UnusableInput("three rounds of two layouts are the fewest that say anything")
    return found


def _grouped(
    measured: Measured, wanted: str
) -> Iterator[tuple[str, str, _Figures, list[Run], Metric, int]]:
    groups: dict[tuple[str, str, str], _Figures] = {}
    discarded: dict[tuple[str, str, str], int] = {}
    runs: dict[tuple[str, str, str], dict[str, Run]] = {}
    for window in measured.windows:
        run = measured.runs[window.run]
        match = _WORK.match(window.work)
        if "layout" not in run.facts or match is None or wanted not in ("", run.id):
            continue
        group = (window.subject, match["rest"] or "", repr(run.facts["layout"]))
        runs.setdefault(group, {})[run.id] = run
        figures = groups.setdefault(group, {})
        if not window.kept:
            discarded[group] = discarded.get(group, 0) + 1
            continue
        figure = run.metrics[window.subject][0].figure
        at, number = match["at"], int(match["bytes"] or 0)
        if match["seed"] is not None:
            at, number = RANDOM, int(match["seed"])
        key = (window.variant, at or AS_COMPILED, number)
        value = window.figures.get(figure, math.nan)
        if value > 0:
            figures.setdefault(key, {})[window.run, window.round] = math.log(value)
    if not groups:
        raise UnusableInput("nothing was measured at several layouts: --layout does")
    for group, figures in groups.items():
        its = list(runs[group].values())
        metric = its[-1].metrics[group[0]][0]
        yield group[0], group[1], figures, its, metric, discarded.get(group, 0)


def _matrix(
    figures: _Figures, keys: Sequence[tuple[str, str, int]]
) -> tuple[Numbers, list[_Round]]:
    """The figures by round and key, of the rounds that have all."""
    rounds = sorted(set.intersection(*(set(figures[key]) for key in keys))) if keys else []
    rows = [[figures[key][number] for key in keys] for number in rounds]
    return np.array(rows).reshape(len(rounds), len(keys)), rounds


def _layouts(figures: _Figures, variant: str, at: str) -> list[int]:
    """Without those of which next to nothing was measured: a program that crashed there."""
    counts = {key[2]: len(rounds) for key, rounds in figures.items() if key[:2] == (variant, at)}
    most = max(counts.values(), default=0)
    return sorted(number for number, count in counts.items() if 2 * count > most)


def _way(figures: _Figures, variant: str, at: str, cycle: int) -> Way | None:
    layouts = _layouts(figures, variant, at)
    keys = [(variant, at, number) for number in layouts]
    matrix, _ = _matrix(figures, keys)
    if not enough(matrix):
        return None
    compiled = None
    own = (variant, AS_COMPILED, 0)
    if own in figures:
        both, _ = _matrix(figures, [*keys, own])
        if both.shape[0] >= FEWEST_ROUNDS:
            compiled = ratio(both[:, -1] - both[:, :-1].mean(axis=1))
    return Way(
        variant,
        at,
        tuple(layouts),
        math.exp(float(np.median(matrix))),
        tuple(effects(matrix)),
        spread(matrix),
        alike(matrix),
        period(matrix, layouts, cycle) if at != RANDOM and len(layouts) > 2 else None,
        compiled,
    )


def _compared(
    figures: _Figures, pair: tuple[str, str], at: str, cycle: int, rope: float
) -> Compared | None:
    layouts = [n for n in _layouts(figures, pair[0], at) if n in _layouts(figures, pair[1], at)]
    keys = [(variant, at, number) for variant in pair for number in layouts]
    matrix, _ = _matrix(figures, keys)
    count = len(layouts)
    phases = [number % cycle for number in layouts] if at != RANDOM else None
    if not enough(matrix[:, :count]) or len(set(phases or layouts)) < 2:
        return None
    compiled = None
    own = [(variant, AS_COMPILED, 0) for variant in pair]
    if all(key in figures for key in own):
        both, _ = _matrix(figures, own)
        if len(both) >= FEWEST_ROUNDS:
            compiled = (both[:, 0], both[:, 1])
    return Compared(
        pair[0],
        pair[1],
        at,
        difference(matrix[:, :count], matrix[:, count:], compiled, rope, phases),
    )
