# SPDX-License-Identifier: MIT
"""With `--bounded-spins` rounds of a loop that change a counter only are passed at once: random
programs with small bounds come to the same ends with it and without it, whatever their loops do."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest
from exploring import HERE, build
from spelled import MODELS
from test_cuts import explore

SOURCE = str(HERE / "bounded_spins.c")
PARTS = 2
PROGRAMS = 240 if "FENCEPOST_SLOW" not in os.environ else 10_000
MOST_EXECUTIONS = 6_000

#: Of bounded_spins.c: loops, and what else threads do.
LOOPS = "abcdefghijklmabcd"
OTHERS = "nopqrsuvpqpq"


def program(rng: random.Random) -> str:
    def some(letters: str, most: int) -> str:
        return "".join(rng.choice(letters) + rng.choice("001") for _ in range(rng.randint(0, most)))

    spinner = some(OTHERS, 1) + rng.choice(LOOPS) + "0" + some("nouv", 1)
    writer = some(OTHERS, 1) + rng.choice("pqs") + "0" + some(OTHERS + "t", 2)
    threads = [spinner, writer]
    if rng.random() < 0.4:
        threads.append(some(OTHERS, 2) or "p0")
    elif rng.random() < 0.2:
        threads.append(rng.choice(LOOPS) + "0")
    rng.shuffle(threads)
    return "/".join(threads)


@pytest.mark.timeout(14400)
@pytest.mark.parametrize("part", range(PARTS))
def test_rounds_that_are_passed_at_once_change_no_end(part: int, tmp_path: Path) -> None:
    executable = build(SOURCE, tmp_path)
    rng = random.Random(part)
    compared = fewer = 0
    for number in range(PROGRAMS // PARTS):
        text = program(rng)
        words = f"model={MODELS[number % len(MODELS)]} timeout=20 max_executions={MOST_EXECUTIONS}"
        whole = explore(executable, text, words)
        if whole.result["verdict"] == "inconclusive":
            continue
        compared += 1
        less = explore(executable, text, f"{words} bounded_spins=1")
        place = f"seed {part}, program {number}: {text} with {words}"
        assert less.result["verdict"] == whole.result["verdict"], place
        assert less.ends == whole.ends, place
        assert less.result["executions"] <= whole.result["executions"], place
        fewer += less.result["executions"] < whole.result["executions"]
    assert compared > PROGRAMS / PARTS / 2, "too many programs are too large"
    assert fewer > compared / 5, "too few have loops whose rounds are passed at once"
