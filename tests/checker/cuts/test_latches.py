# SPDX-License-Identifier: MIT
"""The checker's std::latch does what an atomic counter does: random programs come to the same ends,
and where nobody asks, in what order a latch is counted down multiplies nothing."""

from __future__ import annotations

import random
from itertools import permutations
from pathlib import Path

import pytest
import samples
from exploring import CUT, Exploring, build
from spelled import MODELS, compare

SOURCE = str(CUT / "latched_programs.cpp")
PROGRAMS = 600 if samples.is_long else 48
MOST_EXECUTIONS = 1500

#: The latch's operations and others, as latched_programs.cpp and spelled_programs.h spell them.
ACCESSES = ("abxy", "abxyABXY", "STPQf", "abxyf", "pqx", "axSP")


def _thread(rng: random.Random, accesses: str, latches: str, operations: int) -> str:
    def some(most: int) -> str:
        return "".join(rng.choices(accesses, k=rng.randint(0, most)))

    return some(2) + "".join(rng.choice(latches) + some(1) for _ in range(operations))


def programs(seed: int, count: int, latches: str) -> list[str]:
    rng = random.Random(seed)
    found = []
    for _ in range(count):
        accesses = rng.choice(ACCESSES)
        shape = rng.choice(((1, 1), (1, 2), (2, 2), (1, 1, 1)))
        text = "/".join(_thread(rng, accesses, latches, operations) for operations in shape)
        # Nobody counts below zero, which the library's code does not notice; at times not to zero.
        total = sum(int(letter) for letter in text if letter.isdigit())
        found.append(f"{total + (rng.random() < 0.15)}:{text}")
    return found


@pytest.mark.sampled
@pytest.mark.timeout(7200)
@pytest.mark.parametrize(
    ("latches", "flags"), [("1112ww0", ()), ("111tw", ("-DTRIES",)), ("11ww", ("-DTRIES",))]
)
def test_random_programs_end_as_with_a_counter(
    latches: str, flags: tuple[str, ...], tmp_path: Path
) -> None:
    own = build(SOURCE, tmp_path / "own", *flags)
    counted = build(SOURCE, tmp_path / "counted", "-DCOUNTED", *flags)
    executions, counted_executions = compare(
        own, counted, programs(samples.seed_of(5), PROGRAMS // 3, latches), MOST_EXECUTIONS
    )
    assert 0 < executions < 1.1 * counted_executions


def _orders(program: str) -> int:
    """By brute force, of a program of counting and trying alone, one letter a thread: in how many
    ways somebody can find the counter."""
    found = set()
    for order in permutations(range(len(letters := program.split("/")))):
        counts = tuple(t for t in order if letters[t] != "t")
        tries = {}
        for place, t in enumerate(order):
            if letters[t] == "t":
                tries[t] = sum(letters[other] != "t" for other in order[:place])
        found.add((counts, tuple(sorted(tries.items()))))
    return len(found)


@pytest.mark.parametrize("program", ["1/1", "1/1/1", "1/1/t", "1/t/t", "1/1/1/t"])
def test_where_somebody_tries_the_order_of_those_who_count_is_explored(
    program: str, tmp_path: Path
) -> None:
    own = build(SOURCE, tmp_path, "-DTRIES")
    spelled = f"{program.count('1')}:{program}"
    for model in MODELS:
        answer = Exploring(own, f"model={model} all=1", arguments=(spelled,)).answer()
        assert answer.counters[:2] == ("holds", _orders(program)), model
