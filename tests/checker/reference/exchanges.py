# SPDX-License-Identifier: MIT
"""Litmus tests with identical threads, and what exchanging those makes of an execution."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from itertools import groupby, permutations, product

MOST_THREADS = 4


def _bodies(program: str) -> tuple[str, list[str]]:
    inits, *bodies = re.split(r"T\d+:", program)
    return inits, [body.strip().strip(";").strip() for body in bodies]


def with_twins(program: str, rng: random.Random) -> str:
    """The program with copies of one thread beside it."""
    inits, bodies = _bodies(program)
    chosen = rng.randrange(len(bodies))
    bodies[chosen:chosen] = [bodies[chosen]] * rng.choice((1, 1, 2, 3))
    while len(bodies) > MOST_THREADS:
        bodies.pop(rng.randrange(len(bodies)))
    return inits + "; ".join(f"T{t}: {body}" for t, body in enumerate(bodies))


def families(program: str) -> list[list[int]]:
    """The threads by what stands beside each other and is the same."""
    numbered = enumerate(_bodies(program)[1])
    return [[t for t, _ in same] for _, same in groupby(numbered, key=lambda pair: pair[1])]


def has_twins(program: str) -> bool:
    return any(len(family) > 1 for family in families(program))


def exchanges(program: str) -> Iterator[dict[int, int]]:
    """Every renaming of threads that exchanges identical ones."""
    ranks = families(program)
    for orders in product(*(permutations(family) for family in ranks)):
        yield {
            old: new
            for family, order in zip(ranks, orders, strict=True)
            for old, new in zip(family, order, strict=True)
        }


def exchanged(execution: str, names: dict[int, int]) -> str:
    """The execution, as naive and explore write it, with other names of its threads."""

    def renamed(text: str) -> str:
        return re.sub(r"(?<=[<:,])(\d+)(?=\.)", lambda found: str(names[int(found[1])]), text)

    threads: dict[int, str] = {}
    orders = []
    for part in execution.split("|"):
        name, rest = part.split(":", 1)
        if name.isdigit():
            threads[names[int(name)]] = renamed(rest)
        else:
            orders.append(name + renamed(":" + rest))
    return "|".join([f"{t}:{threads[t]}" for t in sorted(threads)] + orders)
