# SPDX-License-Identifier: MIT
"""What a program is to assume leaves out those executions in which it does not hold, and no others:
random programs, beside the same in which the thread ends there."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
import samples
from exploring import CUT, build
from spelled import MODELS, ends, explore

SOURCE = str(CUT / "assumed_programs.c")
PROGRAMS = 1_500 if samples.is_long else 80
MOST_EXECUTIONS = 1_500

#: As assumed_programs.c and spelled_programs.h spell what is read and what is written.
READS = ("xy", "xyXY", "XYPQcd", "xcd")
WRITES = ("ab", "abAB", "ABSTf", "STp", "aAq")


def _thread(rng: random.Random, reads: str, writes: str) -> str:
    text = ""
    for _ in range(rng.choice((1, 1, 2))):
        text += "".join(rng.choices(writes, k=rng.randint(0, 1)))
        text += rng.choice(reads) + rng.choice(("m", "n", "", "m"))
    return text + "".join(rng.choices(writes + reads, k=rng.randint(0, 2)))


def _program(rng: random.Random) -> str:
    reads, writes = rng.choice(READS), rng.choice(WRITES)
    return "/".join(_thread(rng, reads, writes) for _ in range(rng.choice((2, 2, 3))))


@pytest.mark.sampled
@pytest.mark.timeout(7200)
def test_what_counts_is_what_the_whole_program_has_where_it_holds(tmp_path: Path) -> None:
    assumed = build(SOURCE, tmp_path / "assumed")
    whole = build(SOURCE, tmp_path / "whole", "-DENDS")
    rng = random.Random(samples.seed_of(1))
    compared = fewer = 0
    for number in range(PROGRAMS):
        program, model = _program(rng), MODELS[number % len(MODELS)]
        expected = explore(whole, program, model, MOST_EXECUTIONS)
        if sum(expected.counters[1:]) >= MOST_EXECUTIONS:
            continue
        found = explore(assumed, program, model, MOST_EXECUTIONS)
        place = f"program {number} under {model}: {program}"
        if expected.result["violations"] or ends(expected) - {0}:
            assert found.result["verdict"] == expected.result["verdict"], place
        else:  # nothing is left
            assert found.result["verdict"] == "inconclusive", place
        assert ends(found) == ends(expected) - {0}, place
        assert max(found.executions.values(), default=1) == 1, place
        compared += 1
        fewer += found.result["executions"] < expected.result["executions"]
    assert compared > PROGRAMS / 2, "too many programs were over the limit"
    assert fewer > compared / 3, "too few executions are left out"
