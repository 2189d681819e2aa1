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
            # What is bounded has no more of them: who forgot the bound would not come to an end.
            options = f"model={model} all=1 dump=1 max_executions={MOST_EXECUTIONS}"
            expected = explore(spelled, options, arguments=(program,))
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


MADE_IN_A_LOOP = """
#include <pthread.h>
#include <stdatomic.h>
static atomic_int x, rounds = 4;
static void *add(void *unused) {
  ++x;
  return unused;
}
int main(void) {
  pthread_t thread;
  for (int i = 0; i < rounds; ++i) {
    if (i == 0) pthread_create(&thread, 0, add, 0);
    ++x;
  }
  pthread_join(thread, 0);
}
"""


@pytest.mark.parametrize("words", ["no_prefix=1", "keep_prefix=1"])
def test_main_makes_threads_in_a_loop(words: str, tmp_path: Path) -> None:
    source = tmp_path / "made_in_a_loop.c"
    source.write_text(MADE_IN_A_LOOP)
    executable = build(str(source), tmp_path, turns=True)

    def counters(turns: int) -> tuple[str, int, int, int]:
        return explore(executable, f"all=1 {words} unroll={turns}").counters

    assert counters(3) == ("inconclusive", 0, 0, 0)
    assert counters(4)[0] == "holds" and counters(4)[1] > 3
