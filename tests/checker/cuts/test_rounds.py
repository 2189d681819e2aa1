# SPDX-License-Identifier: MIT
"""Rounds of loops that come to nothing because of each other: random programs whose loops try the
locks that other loops take come to whatever end they come to when every loop goes round a number of
times, seen or not."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
import samples
from exploring import CUT, build
from spelled import MODELS
from test_cuts import Cuts

SOURCE = str(CUT / "round_programs.c")
PARTS = 4
PROGRAMS = 2_000 if samples.is_long else 40
MOST_EXECUTIONS = 3_000
#: Of those with so many rounds, which are many more, so many are looked at.
MOST_WITH_ROUNDS = 1_000


class _Program:
    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.locks = rng.choice((2, 3, 4))

    def lock(self) -> str:
        return str(self.rng.randrange(self.locks))

    def leaves(self) -> str:
        return self.rng.choice(("!", "v"))

    def step(self, depth: int) -> str:
        """What a round does, or a part of it."""
        kind = self.rng.random()
        if depth == 0 or kind < 0.35:
            return "l" + self.lock() if kind < 0.3 or depth > 0 else ""
        if kind < 0.45:
            return self.rng.choice(("r", "rr", "rrr"))
        if kind < 0.55:
            if self.rng.random() < 0.4:
                a, b = sorted(self.rng.sample(range(self.locks), 2))
                return f"o{a}{b}{{{self.step(depth - 1)}}}"
            return f"h{self.lock()}{{{self.step(depth - 1)}}}"
        attempt = self.rng.choice("tT") + self.lock()
        way = self.rng.random()
        if way < 0.3:
            return f"{attempt}{{{self.leaves()}}}{{{self.step(depth - 1)}}}"
        if way < 0.35:
            return f"{attempt}{{{self.step(depth - 1)}}}{{{self.leaves()}}}"
        return f"{attempt}{{{self.step(depth - 1)}}}{{{self.step(depth - 1)}}}"

    def round(self) -> str:
        return "".join(self.step(2) for _ in range(self.rng.choice((1, 1, 2))))

    def both(self) -> str:
        """Takes two locks as std::lock does, or at one of the two places to begin at."""
        a, b = self.rng.sample(range(self.locks), 2)
        first = f"h{a}{{T{b}{{{self.leaves()}}}{{}}}}"
        return "f{" + first + self.rng.choice(("", f"h{b}{{T{a}{{{self.leaves()}}}{{}}}}")) + "}"

    def poller(self) -> str:
        loop = f"{self.rng.choice('wwW')}{{{self.round()}}}"
        if self.rng.random() < 0.3:
            loop = self.both()
        before = self.rng.choice(("", "", "", "l" + self.lock(), "y"))
        behind = self.rng.choice(("", "c" + self.lock(), "c" + self.lock(), "x", "b"))
        return before + loop + behind

    def looker(self) -> str:
        looks = ("c", "c", "c", "l")
        return "".join(self.rng.choice(looks) + self.lock() for _ in range(self.rng.choice((1, 2))))

    def text(self) -> str:
        threads = [self.poller() for _ in range(self.rng.choice((1, 2, 2, 3)))]
        tell = self.rng.choice(("a", "ab", "ba"))
        if self.rng.random() < 0.5:
            threads.append(self.looker() + tell)
        else:
            threads.append(tell)
            if len(threads) < 4 and self.rng.random() < 0.5:
                threads.append(self.looker())
        self.rng.shuffle(threads)
        return "/".join(threads)


@pytest.mark.matrix(4)
@pytest.mark.timeout(14400)
@pytest.mark.parametrize("part", range(PARTS))
def test_rounds_that_are_left_out_come_to_no_other_end(part: int, tmp_path: Path) -> None:
    cuts = Cuts(build(SOURCE, tmp_path), MOST_EXECUTIONS, MOST_WITH_ROUNDS)
    rng = random.Random(samples.seed_of(part))
    for number in range(PROGRAMS // PARTS):
        text = _Program(rng).text()
        options = f"model={MODELS[number % len(MODELS)]} max_events=400 timeout=100"
        cuts.compare(text, options, 1 + number // 4 % 3, f"seed {part}, program {number}")
    assert cuts.compared > PROGRAMS / PARTS / 4, "too few programs have a verdict"
