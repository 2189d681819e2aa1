# SPDX-License-Identifier: MIT
"""Loops that try again, of which not every failed attempt is explored: random ones, in random
programs, come to all ends to which they come as they are written, and go wrong where they do."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
import samples
from exploring import CUT, build_random
from random_retries import LOOPS, random_loops
from spelled import MODELS
from test_cuts import Found, explore

SOURCE = str(CUT / "random_retries.c")
#: Files of random loops, each at one level of optimisation, and programs of each.
FILES = 80 if samples.is_long else 12
FILES_OF_TEST = 4
PROGRAMS_OF_FILE = 50
MOST_EXECUTIONS = 3_000

#: What others do to what the loops change, and beside it.
OTHERS = ("4", "8", "48", "18", "14", "58", "0", "+", "++", "1+", "o", "4o8", "o8", "38", "148")


def program(rng: random.Random) -> str:
    def loop() -> str:
        return chr(ord("A") + rng.randrange(LOOPS))

    threads = [loop() + rng.choice(("", "", "x", "y"))]
    threads.append(rng.choice((*OTHERS, loop(), loop())) + rng.choice(("", "", "a")))
    if rng.random() < 0.4:
        threads.append(rng.choice((*OTHERS, loop())))
    rng.shuffle(threads)
    return "/".join(threads)


def _compare(executable: Path, text: str, words: str, place: str) -> bool | None:
    """Were failed attempts left out? Not known where there are too many executions."""
    written = explore(executable, text, f"{words} rounds=2")
    if written.result["verdict"] == "inconclusive":
        return None
    found: Found = explore(executable, text, words)
    assert found.result["verdict"] != "inconclusive", place
    # What comes behind a violation is not looked for.
    if not found.result["violations"]:
        assert not written.result["violations"], place
        assert written.ends <= found.ends, place
    return bool(found.result["executions"] < written.result["executions"])


@pytest.mark.timeout(14400)
@pytest.mark.parametrize("first", range(0, FILES, FILES_OF_TEST))
def test_failed_attempts_that_are_left_out_change_no_end(first: int, tmp_path: Path) -> None:
    compared = fewer = 0
    for part in range(first, first + FILES_OF_TEST):
        rng = random.Random(samples.seed_of(part))
        executable = build_random(SOURCE, part, random_loops(rng), tmp_path)
        for number in range(PROGRAMS_OF_FILE):
            text = program(rng)
            words = f"model={MODELS[number % len(MODELS)]} max_events=200 timeout=100"
            words += f" max_executions={MOST_EXECUTIONS}"
            place = f"file {part} at -O{part % 4}, program {number}: {text} with {words}"
            left_out = _compare(executable, text, words, place)
            compared += left_out is not None
            fewer += left_out is True
    assert compared > FILES_OF_TEST * PROGRAMS_OF_FILE / 2, "too many programs are too large"
    assert fewer > compared / 20, "too few loops have attempts that are left out"
