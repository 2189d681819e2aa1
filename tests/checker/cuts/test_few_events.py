# SPDX-License-Identifier: MIT
"""What goes wrong while each thread has few events goes wrong without such a bound: random programs
come to the same verdict whether or not executions with few events are looked at first."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
import samples
from exploring import CUT, Exploring, build
from spelled import MODELS
from test_cuts import program

PROGRAMS = 1_500 if samples.is_long else 150
MOST_EXECUTIONS = 1500


def test_who_has_few_events_does_nothing_wrong_that_others_do_not(tmp_path: Path) -> None:
    executable = build(str(CUT / "polling_programs.c"), tmp_path)
    rng = random.Random(samples.seed_of(1))
    verdicts = {"holds": 0, "violated": 0, "inconclusive": 0}
    for number in range(PROGRAMS):
        text = program(rng)
        options = f"model={MODELS[number % len(MODELS)]} max_events=100"
        if number % 3 == 0:  # loops are cut later, so that threads have more events
            options += " rounds=2"
        shared = number % 8 == 0
        if shared:
            options += " jobs=2 alone=20"

        def explore(more: str, text: str = text, options: str = options) -> dict[str, Any]:
            return Exploring(executable, f"{options} {more}", arguments=(text,)).answer().result

        whole = explore(f"max_executions={MOST_EXECUTIONS}")
        if whole["executions"] + whole["blocked"] >= MOST_EXECUTIONS:
            continue
        verdicts[whole["verdict"]] += 1
        found = explore("many_events=16")
        place = f"program {number}: {text} with {options}"
        if whole["verdict"] == "inconclusive":
            # A process that shares a search may lack what another has learned.
            assert shared or found["verdict"] != "holds", place
        else:
            assert found["verdict"] == whole["verdict"], place
    assert min(verdicts["holds"], verdicts["violated"]) > PROGRAMS // 10, verdicts


#: Where one thread reads `SEEN` it has many events, and the others are explored before that.
LATE = """
#include <pthread.h>
#include <stdatomic.h>
static atomic_int x, y, z;
static void* write(void* unused) { x = 1; return unused; }
static void* read(void* unused) {
  if (x == SEEN) for (int i = 0; i < 20; ++i) ++y;
  return unused;
}
static void* race(void* number) { z = *(int*)number; z = -*(int*)number; return number; }
int main(void) {
  pthread_t t[5];
  static int numbers[] = {1, 2, 3};
  pthread_create(&t[0], NULL, write, NULL);
  pthread_create(&t[1], NULL, read, NULL);
  for (int i = 0; i < 3; ++i) pthread_create(&t[2 + i], NULL, race, &numbers[i]);
  for (int i = 0; i < 5; ++i) pthread_join(t[i], NULL);
}
"""


@pytest.mark.parametrize("seen", [0, 1])
def test_who_shares_the_search_may_have_many_events(seen: int, tmp_path: Path) -> None:
    source = tmp_path / "late.c"
    source.write_text(LATE.replace("SEEN", str(seen)))
    executable = build(str(source), tmp_path / "built")
    found = Exploring(executable, "model=sc many_events=16 jobs=2 alone=20").answer().result
    assert (found["verdict"], found["executions"]) == ("holds", 180)
