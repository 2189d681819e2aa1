# SPDX-License-Identifier: MIT
"""Waiting for a future, and letting go of a std::shared_ptr, come to the same ends as by the C++
library's own code."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
import samples
from exploring import CUT, build
from fencepost.toolchain.build_program import build_program
from fencepost.toolchain.toolchain import Toolchain
from spelled import compare

SOURCE = str(CUT / "future_programs.cpp")
PROGRAMS = 480 if samples.is_long else 16
MOST_EXECUTIONS = 1500

#: As future_programs.cpp and spelled_programs.h spell them.
ACCESSES = ("abxy", "abxyABXY", "STPQf", "axyf", "pqx", "uvaxpq")


def _thread(rng: random.Random, accesses: str, waits: str) -> str:
    def some(most: int) -> str:
        return "".join(rng.choices(accesses, k=rng.randint(0, most)))

    return some(2) + "".join(rng.choice(waits) + some(1) for _ in range(rng.choice((1, 1, 2))))


def _programs(seed: int, count: int, waits: str) -> list[str]:
    rng = random.Random(seed)
    found = []
    for _ in range(count):
        accesses = rng.choice(ACCESSES)
        threads = [_thread(rng, accesses, waits) for _ in range(rng.choice((2, 2, 2, 3)))]
        if rng.random() < 0.9:  # else nobody keeps the promise
            which = rng.randrange(len(threads))
            place = rng.randint(0, len(threads[which]))
            threads[which] = threads[which][:place] + "s" + threads[which][place:]
        found.append("/".join(threads))
    return found


@pytest.mark.sampled
@pytest.mark.matrix(2)
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("waits", ["w", "wol", "d", "wd"])
def test_random_programs_end_as_with_the_librarys_own_code(waits: str, tmp_path: Path) -> None:
    toolchain = Toolchain("gcc", (), library_as_written=True)
    written = build_program([Path(SOURCE)], toolchain, tmp_path / "written").executable
    own = build(SOURCE, tmp_path / "own")
    executions, written_executions = compare(
        own, written, _programs(samples.seed_of(11), PROGRAMS // 4, waits), MOST_EXECUTIONS
    )
    assert 0 < executions < written_executions
