# SPDX-License-Identifier: MIT
"""Accesses of several bytes and of parts of them: the engine's exploration against the naive
enumeration of reads-from and modification order byte by byte."""

from __future__ import annotations

import re
from itertools import islice

import pytest
import samples
from literature import MODELS, LitmusTest, mixed_sizes
from naive_and_engine import differences, explore, has_checker, has_naive, naive
from random_programs import mixed_size_programs

TESTS = mixed_sizes()

pytestmark = pytest.mark.skipif(not has_naive(), reason="no enumerator for this machine")
needs_checker = pytest.mark.skipif(not has_checker(), reason="this build has no checker")


@pytest.mark.parametrize("test", TESTS, ids=lambda test: test.name)
def test_the_enumerator_gives_the_verdicts(test: LitmusTest) -> None:
    (answers,) = naive([test.program], MODELS, condition=test.outcome)
    assert answers is not None
    found = {model: answers[model].satisfied > 0 for model in MODELS}
    assert found == test.allowed


def _compare(programs: list[str], limit: int) -> int:
    answers = list(naive(programs, MODELS, limit))
    small = [p for p, a in zip(programs, answers, strict=True) if a is not None]
    for program, expected, found in zip(
        small, (a for a in answers if a is not None), explore(small, MODELS), strict=True
    ):
        assert found is not None
        for model in MODELS:
            assert differences(expected[model], found[model]) == [], (model, program)
    return len(small)


@needs_checker
def test_the_exploration_finds_each_execution_of_the_tests_once() -> None:
    assert _compare([test.program for test in TESTS], 200_000) == len(TESTS)


def _mixed(seed: int, count: int) -> list[str]:
    """Programs in which some access is of several bytes."""
    several = (p for p in mixed_size_programs(seed) if re.search(r"\b[x-z]:[x-z]\b", p))
    return list(islice(several, count))


@needs_checker
def test_the_exploration_finds_each_execution_of_a_thousand_random_programs_once() -> None:
    assert _compare(_mixed(1, 1000), 2_000) > 700


@needs_checker
def test_the_exploration_finds_each_execution_of_a_sample_of_random_programs_once() -> None:
    assert _compare(_mixed(samples.seed(), 200), 2_000) > 0


@needs_checker
@pytest.mark.slow
@pytest.mark.timeout(7200)
def test_the_exploration_finds_each_execution_of_many_random_programs_once() -> None:
    assert _compare(_mixed(samples.seed_of(2), 10_000), 20_000) > 8_000
