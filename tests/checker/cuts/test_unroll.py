# SPDX-License-Identifier: MIT
"""Loops that may turn only so often: random programs come to the same ends as when each loop counts
its own turns, and those with too many are assumed away."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
import samples
from exploring import CUT, KINDS, build, explore
from random_turns import LOOPS, random_turns
from spelled import MODELS, ends

SOURCE = str(CUT / "turns.c")
FILES = 60 if samples.is_long else 3
PROGRAMS = 40
MOST_EXECUTIONS = 1_500


@pytest.mark.sampled
@pytest.mark.timeout(7200)
def test_what_is_explored_is_what_turns_no_more_often(tmp_path: Path) -> None:
    rng = random.Random(samples.seed_of(1))
    compared = cut = 0
    for file in range(FILES):
        most = rng.choice((1, 1, 2, 3))
        where = tmp_path / str(file)
        where.mkdir()
        (where / "loops.h").write_text(random_turns(rng))
        flags = (
            f'-DLOOPS="{where / "loops.h"}"',
            f"-DMOST={most}",
            f"-O{rng.choice((0, 1, 1, 2))}",
        )
        spelled = build(SOURCE, where / "spelled", *flags, "-DSPELLED")
        bounded = build(SOURCE, where / "bounded", *flags, turns=True)
        for number in range(PROGRAMS):
            letters = [chr(ord("a") + rng.randrange(LOOPS)) for _ in range(3)]
            program = "".join(letters[: rng.choice((1, 2, 2, 2, 3))])
            model = MODELS[number % len(MODELS)]
            options = f"model={model} all=1 dump=1"
            expected = explore(
                spelled, f"{options} max_executions={MOST_EXECUTIONS}", arguments=(program,)
            )
            if sum(expected.counters[1:]) >= MOST_EXECUTIONS:
                continue
            found = explore(
                bounded,
                f"{options} unroll={most}{' keep_prefix=1' * (number % 2)}",
                arguments=(program,),
            )
            place = f"file {file}, program {number} under {model}: {program}, {most} turns"
            assert ends(found) == ends(expected), place
            assert found.result["executions"] == expected.result["executions"], place
            is_cut = expected.result["blocked"] != 0
            assert found.result["verdict"] == ("inconclusive" if is_cut else "holds"), place
            assert found.result["blocked"] == 0, place
            compared += 1
            cut += is_cut
    assert compared > FILES * PROGRAMS / 3, "too many programs were over the limit"
    assert compared / 10 < cut < compared, "loops are never cut, or always"


@pytest.mark.parametrize("kind", KINDS)
def test_a_bound_that_is_not_met_changes_nothing(kind: str, tmp_path: Path) -> None:
    source, flags = KINDS[kind]
    plain = explore(build(source, tmp_path / "plain", *flags), "all=1")
    bounded = explore(build(source, tmp_path / "bounded", *flags, turns=True), "all=1 unroll=100")
    assert bounded.counters == plain.counters
