# SPDX-License-Identifier: MIT
"""Who comes to a mutex or a spin lock that is held waits for its turn, without an event. Random
programs have the same executions as with semaphores, whose waiters look and wait, each once."""

from __future__ import annotations

import random
from math import factorial
from pathlib import Path

import pytest
import samples
from exploring import CUT, Exploring, build
from spelled import MODELS, ends, explore

SOURCE = str(CUT / "queued_programs.c")
PROGRAMS = 1_200 if samples.is_long else 60
MOST_EXECUTIONS = 1_000

ACCESSES = ("abxy", "xyaf", "abxyABXY", "STPQf", "pq", "x", "", "awk", "awkKSx")
LOCKS = ("l", "lm", "lL", "llL", "lmLM", "lmM", "L")


def _thread(rng: random.Random, accesses: str, locks: str, sections: int) -> str:
    def some(most: int) -> str:
        return "".join(rng.choices(accesses, k=rng.randint(0, most))) if accesses else ""

    def leave(lock: str) -> str:
        if rng.random() < 0.03:
            return ""
        return "u" if lock in "lL" else "v"

    text = some(1)
    for _ in range(sections):
        lock = rng.choice(locks)
        text += lock + some(2)
        if rng.random() < 0.25:
            other = rng.choice(locks)
            text += other + some(1) + leave(other)
        text += leave(lock) + some(1)
    return text


def programs(seed: int, count: int) -> list[str]:
    rng = random.Random(seed)
    found = []
    for _ in range(count):
        accesses, locks = rng.choice(ACCESSES), rng.choice(LOCKS)
        shape = rng.choice(((2, 2), (1, 2), (1, 3), (1, 1, 1), (1, 1, 2), (0, 1, 2), (1, 1, 1, 1)))
        threads = [_thread(rng, accesses, locks, sections) for sections in shape]
        found.append("/".join(rng.sample(threads, len(threads))))
    return found


@pytest.mark.sampled
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("flags", [(), ("-DSPIN",)])
def test_random_programs_have_the_executions_that_they_have_with_semaphores(
    flags: tuple[str, ...], tmp_path: Path
) -> None:
    own = build(SOURCE, tmp_path / "own", *flags)
    looking = build(SOURCE, tmp_path / "looking", "-DSEMAPHORES")
    blocked = [0, 0]
    compared = 0
    for number, program in enumerate(programs(samples.seed_of(11), PROGRAMS // 2)):
        model = MODELS[number % len(MODELS)]
        if model == "x86" and set(program) & {"L", "M"}:
            model = "sc"  # on x86 a semaphore that cannot be taken is only looked at
        expected = explore(looking, program, model, MOST_EXECUTIONS)
        if sum(expected.counters[1:3]) >= MOST_EXECUTIONS:
            continue
        found = explore(own, program, model, MOST_EXECUTIONS)
        assert found.counters[0] == expected.counters[0], (model, program)
        assert max(found.executions.values(), default=1) == 1, (model, program)
        # What comes behind a data race is not looked for.
        if expected.counters[0] == "holds" or not set(program) & {"p", "q"}:
            assert ends(found) == ends(expected), (model, program)
            assert found.counters[1] == expected.counters[1], (model, program)
        if expected.counters[0] == "holds" and "w" not in program:
            blocked[0] += found.counters[2]
            blocked[1] += expected.counters[2]
        compared += 1
    assert compared > PROGRAMS / 2 / 2, "too many programs were over the limit"
    assert blocked[0] == 0 < blocked[1]


@pytest.mark.parametrize("threads", [1, 2, 3, 4])
def test_each_order_of_the_threads_is_one_execution_and_none_is_blocked(
    threads: int, tmp_path: Path
) -> None:
    program = "/".join(("lau", "lau", "lxu", "lu")[:threads])
    most = "model=sc max_executions=100"
    answer = Exploring(build(SOURCE, tmp_path), most, arguments=(program,)).answer()
    assert answer.counters == ("holds", factorial(threads), 0, 0)


@pytest.mark.parametrize("program", ["k/w/lsu/lau", "K/w/lsu/laku"])
def test_who_has_begun_to_sleep_lets_those_go_first_who_come_to_a_lock(
    program: str, tmp_path: Path
) -> None:
    own = explore(build(SOURCE, tmp_path / "own"), program, "sc", MOST_EXECUTIONS)
    looking = build(SOURCE, tmp_path / "looking", "-DSEMAPHORES")
    assert own.counters[1] == explore(looking, program, "sc", MOST_EXECUTIONS).counters[1] > 0


@pytest.mark.parametrize("program", ["lmvu/mluv", "lau/lx", "lmvu/luml", "Lmvu/MLuv/mluv"])
def test_who_waits_for_ever_is_found(program: str, tmp_path: Path) -> None:
    answer = Exploring(build(SOURCE, tmp_path), "model=sc", arguments=(program,)).answer()
    assert answer.result["verdict"] == "violated"
    violation = answer.result["violation"]
    assert violation["kind"] == "deadlock"
    assert "waits for the mutex" in violation["message"]
