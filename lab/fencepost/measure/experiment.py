# SPDX-License-Identifier: MIT
"""An experiment: what is measured, how often, for how long, in which orders. It is written into the
line about the run, from which it can be gone on with."""

from __future__ import annotations

import difflib
import random
import re
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from fencepost.console.input_error import UnusableInput
from fencepost.measure.programs import Measurable
from fencepost.measure.quick import ENOUGH, LIMIT, QUICK_TRIES, rounds_in_time
from fencepost.measure.results import Results, Windows
from fencepost.measure.window import Taking, Variant
from fencepost.measure.windows import TRIES, Measuring, Taken, measure_rounds

ROUNDS = 11
OTHERS = 0.15
WARM_UP = 1


@dataclass(frozen=True)
class Request:
    """What somebody asked for; None where nothing was said."""

    subjects: tuple[str, ...] = ()
    program: str | None = None
    quick: bool = False
    only: str | None = None
    variants: tuple[str, ...] | None = None
    rounds: int | None = None
    seconds: float | None = None
    warm_up: int | None = None
    others: float | None = None
    seed: int | None = None
    #: Of servers: how many threads, and which loads.
    threads: tuple[int, ...] | None = None
    workloads: tuple[str, ...] | None = None

    def to_json(self) -> dict[str, Any]:
        return {key: value for key, value in vars(self).items() if value not in (None, (), False)}

    @staticmethod
    def from_json(found: Mapping[str, Any]) -> Request:
        """Raises KeyError, TypeError or ValueError."""
        unknown = set(found) - set(vars(Request()))
        if unknown:
            raise ValueError(f"{sorted(unknown)[0]!r} is not known")
        fields: dict[str, Any] = {
            key: tuple(one) if isinstance(one, list) else one for key, one in found.items()
        }
        return Request(**fields)


@dataclass(frozen=True)
class Experiment:
    asked: Request
    programs: Mapping[str, Measurable]
    variants: Sequence[Variant]
    rounds: int
    #: Length of a window, by subject.
    seconds: Mapping[str, float]
    warm_up: int
    others: float
    seed: int

    def to_json(self) -> dict[str, Any]:
        """What must be the same for it to be gone on with."""
        return {
            **self.asked.to_json(),
            "rounds": self.rounds,
            "warm_up": self.warm_up,
            "others": self.others,
            "seed": self.seed,
            "windows": {name: round(seconds, 6) for name, seconds in self.seconds.items()},
            "programs": {name: one.fingerprint() for name, one in self.programs.items()},
        }

    @property
    def tries(self) -> int:
        return QUICK_TRIES if self.asked.quick else TRIES

    def orders(self, done: Earlier) -> Iterator[tuple[int, list[Variant]]]:
        """Each round's variants, in an order that the seed and the round's number decide; less what
        was done earlier."""
        for number in range(done.last, self.rounds):
            variants = list(self.variants)
            random.Random(f"{self.seed} {number}").shuffle(variants)
            yield number, [one for one in variants if done.is_open(one, number)]


@dataclass
class Earlier:
    """What was done earlier: the round that was the last, and which of its windows are there."""

    last: int = 0
    over: set[Variant] = field(default_factory=set)
    failed: set[Variant] = field(default_factory=set)

    def is_open(self, variant: Variant, number: int) -> bool:
        return variant not in self.failed and not (number == self.last and variant in self.over)


def make_experiment(asked: Request, programs: Sequence[Measurable]) -> Experiment:
    """Raises UnusableInput where nothing is left to be measured."""
    variants = selected([v for one in programs for v in one.variants()], asked)
    left = {variant.subject for variant in variants}
    kept = {one.name: one for one in programs if one.name in left}
    seconds = {name: asked.seconds or one.subject.seconds for name, one in kept.items()}
    rounds = asked.rounds or ROUNDS
    if asked.quick:
        counts = {name: sum(one.subject == name for one in variants) for name in kept}
        if asked.seconds is None:
            seconds = {
                name: min(one, kept[name].subject.quick_seconds) for name, one in seconds.items()
            }
        rounds = asked.rounds or rounds_in_time(seconds, counts)
    seed = random.SystemRandom().randrange(2**31) if asked.seed is None else asked.seed
    return Experiment(
        asked,
        kept,
        variants,
        rounds,
        seconds,
        WARM_UP if asked.warm_up is None else asked.warm_up,
        asked.others or OTHERS,
        seed,
    )


def selected(variants: Sequence[Variant], asked: Request) -> list[Variant]:
    """Raises UnusableInput, with the nearest names, where nothing is left."""
    found = list(variants)
    if asked.variants is not None:
        known = sorted({one.variant for one in variants})
        for name in asked.variants:
            if name not in known:
                raise UnusableInput(f"there is no variant {name!r}; {nearest(name, known)}")
        found = [one for one in found if one.variant in asked.variants]
    elif asked.quick:
        found = [one for one in found if re.search(ENOUGH.get(one.subject, ""), str(one))]
    if asked.only is not None:
        pattern = re.compile(asked.only)
        found = [one for one in found if pattern.search(f"{one.subject}/{one}")]
        if not found:
            names = [f"{one.subject}/{one}" for one in variants]
            raise UnusableInput(
                f"no benchmark matches {asked.only!r}; {nearest(asked.only, names)}"
            )
    if not found:
        raise UnusableInput("nothing is left to be measured")
    return found


def nearest(name: str, known: Collection[str]) -> str:
    """Words that offer the names that are most like it."""
    near = difflib.get_close_matches(name, known, n=3, cutoff=0.4)
    near = near or [one for one in known if name in one][:3]
    if near:
        return f"did you mean {' or '.join(near)}?"
    some = ", ".join(sorted(known)[:12])
    return f"there are {some}" + (" and others (--list)" if len(known) > 12 else "")


def measure(
    experiment: Experiment, taking: Taking, results: Results, windows: Windows, done: Earlier
) -> Iterator[str]:
    """Fills `windows`; yields what goes wrong. Interrupted, it leaves what was done."""
    warm: set[Variant] = set()

    def take(variant: Variant) -> Taken:
        program = experiment.programs[variant.subject]
        seconds = experiment.seconds[variant.subject]
        if variant not in warm:
            for _ in range(experiment.warm_up):
                program.window(variant, seconds, taking)
            warm.add(variant)
        return [(variant, program.window(variant, seconds, taking))]

    rounds = list(experiment.orders(done))
    quick = experiment.asked.quick
    until = time.monotonic() + LIMIT if quick else float("inf")
    into = Measuring(results, windows, experiment.others, until, results.failure, experiment.tries)
    count = sum(len(variants) for _, variants in rounds)
    try:
        yield from measure_rounds(rounds, count, lambda one: f"{one.subject} {one}", take, into)
    finally:
        for program in experiment.programs.values():
            program.close()
        results.close()
