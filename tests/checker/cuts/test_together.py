# SPDX-License-Identifier: MIT
"""Mutexes that are taken together (std::lock) come to the same ends as by the C++ library's own
code, and have one execution for each order of the threads."""

from __future__ import annotations

import random
from math import factorial
from pathlib import Path

import pytest
import samples
from exploring import CUT, Exploring, build
from fencepost.toolchain.build_program import build_program
from fencepost.toolchain.toolchain import Toolchain
from spelled import MODELS, ends, explore

SOURCE = str(CUT / "together_programs.cpp")
PROGRAMS = 1_200 if samples.is_long else 60
MOST_EXECUTIONS = 600

ACCESSES = ("abxy", "xyaf", "abxyABXY", "STPQf", "pq")


def _as_written(directory: Path, *flags: str) -> Path:
    toolchain = Toolchain("gcc", flags, library_as_written=True)
    return build_program([Path(SOURCE)], toolchain, directory).executable


def _thread(rng: random.Random, accesses: str, takes: str) -> str:
    def some(most: int) -> str:
        return "".join(rng.choices(accesses, k=rng.randint(0, most)))

    text = some(1)
    for _ in range(rng.choice((1, 1, 2))):
        text += rng.choice(takes) + some(2) + "u" + some(1)
    return text


def _programs(seed: int, count: int, takes: str) -> list[str]:
    rng = random.Random(seed)
    found = []
    for _ in range(count):
        accesses = rng.choice(ACCESSES)
        # At least one that takes several.
        several = [_thread(rng, accesses, "123")]
        others = [_thread(rng, accesses, takes) for _ in range(rng.choice((1, 1, 1, 1, 1, 2)))]
        if rng.random() < 0.3:  # one after the other, which may end in a deadlock
            others[0] = rng.choice(("lm", "ml")) + rng.choice(accesses) + "u"
        found.append("/".join(rng.sample(several + others, len(several + others))))
    return found


@pytest.mark.sampled
@pytest.mark.matrix(2)
@pytest.mark.timeout(7200)
@pytest.mark.parametrize(("takes", "flags"), [("12lm", ()), ("123lm", ()), ("12tt", ("-DTRIES",))])
def test_random_programs_end_as_with_the_librarys_own_code(
    takes: str, flags: tuple[str, ...], tmp_path: Path
) -> None:
    own = build(SOURCE, tmp_path / "own", *flags)
    written = _as_written(tmp_path / "written", *flags)
    compared = 0
    for number, program in enumerate(_programs(samples.seed_of(7), PROGRAMS // 3, takes)):
        model = MODELS[number % len(MODELS)]
        expected = explore(written, program, model, MOST_EXECUTIONS)
        if expected.result["verdict"] == "inconclusive":
            continue
        # Of threads that wait for one that takes several there may be more that come to nothing.
        found = explore(own, program, model, 20 * MOST_EXECUTIONS)
        assert found.result["verdict"] == expected.result["verdict"], (model, program)
        if expected.result["verdict"] == "holds":  # what comes behind a violation is not looked for
            assert ends(found) == ends(expected), (model, program)
        assert max(found.executions.values(), default=1) == 1, (model, program)
        compared += 1
    assert compared > PROGRAMS / 3 / 2, "too many programs have no verdict"


@pytest.mark.parametrize("threads", [1, 2, 3, 4])
def test_each_order_of_the_threads_is_one_execution(threads: int, tmp_path: Path) -> None:
    program = "/".join(("1au", "2au", "3au", "1xu")[:threads])
    answer = Exploring(build(SOURCE, tmp_path), "model=sc", arguments=(program,)).answer()
    assert answer.result["verdict"] == "holds"
    assert answer.result["executions"] == factorial(threads)
