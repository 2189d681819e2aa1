# SPDX-License-Identifier: MIT
"""Readers of a read-write lock have no order among themselves, and nothing is lost by that: random
programs come to the same ends as with a lock that is one atomic word, and no execution comes
twice. Where there are fences, the atomic word orders readers, for whoever takes it reads what the
one before has written after a fence; nobody promises that of the lock, whose ends are more."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
import samples
from exploring import CUT, Exploring, build
from spelled import MODELS, compare

pytestmark = pytest.mark.matrix(3)

SOURCE = str(CUT / "locked_programs.c")
PROGRAMS = 1_000 if samples.is_long else 60
#: Larger programs take their time with one word.
MOST_EXECUTIONS = 200

#: Operations beside the lock's, and those of the lock, as locked_programs.c spells them.
STYLES = (
    ("abxy", "rrw"),
    ("abxyABXY", "rRwW"),
    ("STPQf", "rrRwW"),
    ("abxyf", "RRWrw"),
    ("pqx", "rrw"),
    ("abxySP", "rrrW"),
    ("x", "RrWw"),
    ("abxy", "RW"),
)


def _thread(rng: random.Random, accesses: str, locks: str, sections: int) -> str:
    def some(most: int = 2) -> str:
        return "".join(rng.choices(accesses, k=rng.randint(0, most)))

    text = ""
    for _ in range(sections):
        if rng.random() < 0.15:
            text += some() or "x"
            continue
        lock = rng.choice(locks)
        text += lock + some()
        if lock in "rR" and rng.random() < 0.12:
            text += rng.choice("rR") + some() + "u"
        text += "u" if rng.random() < 0.96 else ""
        text += some(1)
    return text


def programs(seed: int, count: int) -> list[str]:
    rng = random.Random(seed)
    found = []
    for _ in range(count):
        accesses, locks = rng.choice(STYLES)
        # Two threads with two sections each, or three of which one has two.
        shape = rng.choice(((2, 2), (1, 2), (1, 1, 1), (1, 1, 2)))
        found.append("/".join(_thread(rng, accesses, locks, sections) for sections in shape))
    return found


@pytest.mark.sampled
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("flags", [(), ("-DWRITERS_FIRST",)])
def test_random_programs_end_as_with_a_lock_of_atomics(
    flags: tuple[str, ...], tmp_path: Path
) -> None:
    own = build(SOURCE, tmp_path / "own", *flags)
    counted = build(SOURCE, tmp_path / "counted", "-DCOUNTED", *flags)
    executions, counted_executions = compare(
        own,
        counted,
        programs(samples.seed_of(3), PROGRAMS),
        MOST_EXECUTIONS,
        is_exact=lambda program: "f" not in program,
    )
    assert 0 < executions < counted_executions


def _orders(program: str) -> int:
    """By brute force, of a program of locking alone: how many executions differ in what somebody
    finds. Each thread has a word, which readers change one of and writers all; what an operation
    finds is who has changed last the words that it looks at."""
    threads = program.split("/")
    found = set()

    def go_on(
        at: list[int], words: list[object], inside: dict[int, str], seen: list[object]
    ) -> None:
        if all(at[t] == len(ops) for t, ops in enumerate(threads)):
            found.add(tuple(sorted(seen, key=repr)))
        for t, ops in enumerate(threads):
            if at[t] == len(ops):
                continue
            op, place = ops[at[t]], (t, at[t])
            writes = inside.get(t) == "w" if op == "u" else op in "wW"
            free = "w" not in inside.values() and not (writes and inside)
            if op != "u" and not free and op in "rw":
                continue
            end = at[t] + 1
            changed, now = list(words), dict(inside)
            if op == "u":
                del now[t]
            elif free:
                now[t] = "w" if writes else "r"
            else:
                end = ops.index("u", at[t]) + 1
            if op == "u" or free:
                changed = [place] * len(words) if writes else changed
                changed[t] = place
            saw = tuple(words) if writes else words[t]
            go_on([*at[:t], end, *at[t + 1 :]], changed, now, [*seen, (place, saw)])

    go_on([0] * len(threads), [None] * len(threads), {}, [])
    return len(found)


@pytest.mark.parametrize(
    ("program", "executions"),
    [
        ("ru/ru/ru/ru", 1),
        ("wu/ru/ru", 4),
        # Each reader is before both writers, between them or after them.
        ("wu/wu/ru/ru", 18),
        # Those who try see somebody inside, or come before or after.
        ("wu/Ru", 3),
        ("ru/Wu", 3),
        ("ru/ru/Wu", 9),
        # Two who try may not find the readers come in different orders.
        ("ru/ru/Wu/Wu", None),
        ("ru/ru/WuWu", None),
        ("ruru/WuRu/wu", None),
    ],
)
def test_executions_are_the_places_of_readers_among_writers(
    program: str, executions: int | None, tmp_path: Path
) -> None:
    expected = _orders(program)
    assert executions in (None, expected)
    own = build(SOURCE, tmp_path)
    for model in MODELS:
        answer = Exploring(own, f"model={model} all=1", arguments=(program,)).answer()
        assert answer.counters[:2] == ("holds", expected), model


def test_processes_that_share_the_search_find_the_same(tmp_path: Path) -> None:
    own = build(SOURCE, tmp_path)
    program = ("wau/rxu/Rxu/wbu",)
    alone = Exploring(own, "all=1 dump=1", arguments=program).answer()
    shared = Exploring(own, "all=1 dump=1 jobs=3 alone=1", arguments=program).answer()
    assert alone.counters[0] == "holds"
    assert (shared.executions, shared.counters) == (alone.executions, alone.counters)
