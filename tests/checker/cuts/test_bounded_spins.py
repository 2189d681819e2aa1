# SPDX-License-Identifier: MIT
"""Loops that spin until a counter runs out, of which not every round is explored: random programs
with small bounds come to the same ends as when they are explored as written, whatever they do."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import samples
from exploring import CUT, build, build_random
from random_spins import LOOPS as RANDOM_LOOPS
from random_spins import random_loops
from spelled import MODELS
from test_cuts import Found, explore

pytestmark = pytest.mark.matrix(4)

SOURCE = str(CUT / "bounded_spins.c")
PARTS = 2
PROGRAMS = 2_400 if samples.is_long else 240
MOST_EXECUTIONS = 6_000

#: Of bounded_spins.c: loops, and what else threads do.
LOOPS = "abcdefghijklmabcd"
OTHERS = "nopqrsuvpqpq"


#: Files of random loops, each at one level of optimisation, and programs of each.
FILES = 80 if samples.is_long else 8
PROGRAMS_OF_FILE = 40
FILES_OF_TEST = 4


def program(rng: random.Random, loops: str = LOOPS) -> str:
    def some(letters: str, most: int) -> str:
        return "".join(rng.choice(letters) + rng.choice("001") for _ in range(rng.randint(0, most)))

    spinner = some(OTHERS, 1) + rng.choice(loops) + "0" + some("nouv", 1)
    writer = some(OTHERS, 1) + rng.choice("pqs") + "0" + some(OTHERS + "t", 2)
    threads = [spinner, writer]
    if rng.random() < 0.4:
        threads.append(some(OTHERS, 2) or "p0")
    elif rng.random() < 0.2:
        threads.append(rng.choice(loops) + "0")
    rng.shuffle(threads)
    return "/".join(threads)


@dataclass
class Comparison:
    """Compares programs explored as written with the same ones explored with `option`."""

    executable: Path
    option: str
    compared: int = 0
    fewer: int = 0
    left_out: list[str] = field(default_factory=list)

    def compare(self, text: str, words: str, place: str) -> None:
        whole = explore(self.executable, text, f"{words} no_bounded_spins=1")
        if whole.result["verdict"] == "inconclusive":
            self.left_out.append(text)
            return
        less = explore(self.executable, text, f"{words} {self.option}")
        self.compared += 1
        self.fewer += less.result["executions"] < whole.result["executions"]
        place = f"{place}: {text} with {words}"
        assert less.result["verdict"] == whole.result["verdict"], place
        assert less.result["executions"] <= whole.result["executions"], place
        self.same_ends(less, whole, place)

    def same_ends(self, less: Found, whole: Found, place: str) -> None:
        # What a round that is left out has synchronised with may be what keeps an execution from a
        # race; that it ends otherwise is not told then.
        if whole.result["verdict"] == "violated" and not self.option:
            assert less.ends <= whole.ends, place
        else:
            assert less.ends == whole.ends, place


def _words(number: int) -> str:
    return f"model={MODELS[number % len(MODELS)]} timeout=20 max_executions={MOST_EXECUTIONS}"


@pytest.mark.timeout(14400)
@pytest.mark.parametrize("option", ["bounded_spins=1", ""])
@pytest.mark.parametrize("part", range(PARTS))
def test_rounds_that_are_left_out_change_no_end(part: int, option: str, tmp_path: Path) -> None:
    one = Comparison(build(SOURCE, tmp_path), option)
    rng = random.Random(samples.seed_of(part))
    for number in range(PROGRAMS // PARTS):
        one.compare(program(rng), _words(number), f"seed {part}, program {number}")
    assert one.compared > PROGRAMS / PARTS / 2, "too many programs are too large"
    assert one.fewer > one.compared / 5, "too few have loops of which rounds are left out"


@pytest.mark.timeout(14400)
@pytest.mark.parametrize("first", range(0, FILES, FILES_OF_TEST))
def test_what_is_proved_of_random_loops_is_so(first: int, tmp_path: Path) -> None:
    fewer = 0
    for part in range(first, first + FILES_OF_TEST):
        rng = random.Random(samples.seed_of(part))
        executable = build_random(SOURCE, part, random_loops(rng), tmp_path)
        letters = "".join(chr(ord("A") + number) for number in range(RANDOM_LOOPS))
        one = Comparison(executable, "")
        for number in range(PROGRAMS_OF_FILE):
            text = program(rng, letters)
            one.compare(text, _words(number), f"seed {part} at -O{part % 4}, program {number}")
        assert one.compared > PROGRAMS_OF_FILE / 2, "too many programs are too large"
        fewer += one.fewer
    # Of two files in a hundred it is of none.
    assert fewer > 0, "of no loop anything is proved"
