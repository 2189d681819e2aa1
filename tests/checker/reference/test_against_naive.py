# SPDX-License-Identifier: MIT
"""On random programs the engine explores the executions that enumeration finds, each once."""

from __future__ import annotations

from itertools import islice

import pytest
from literature import MODELS, literature
from naive_and_engine import (
    compare,
    differences,
    explore,
    has_checker,
    has_naive,
    machines,
    naive,
)
from random_programs import random_programs

SHAPES = [test.program for test in literature()]

needs_naive = pytest.mark.skipif(not has_naive(), reason="no enumerator for this machine")
needs_checker = pytest.mark.skipif(not has_checker(), reason="this build has no checker")


def _compare(seed: int, programs: int, model: str, limit: int) -> None:
    different = []
    compared = 0
    texts = list(islice(random_programs(seed, SHAPES), programs))
    for program, _, wrong, _ in compare(texts, [model], limit):
        compared += 1
        if wrong:
            different.append((program, wrong[:5]))
    assert different == []
    assert compared > programs * 0.7, "too many programs were over the limit"


def test_the_same_seed_gives_the_same_programs() -> None:
    assert list(islice(random_programs(5), 20)) == list(islice(random_programs(5), 20))


@needs_naive
def test_the_axioms_of_sc_and_x86_agree_with_their_abstract_machines() -> None:
    models = ("sc", "x86")
    programs = SHAPES + list(islice(random_programs(11, SHAPES), 2000))
    answers = list(naive(programs, models, 2_000))
    small = [p for p, a in zip(programs, answers, strict=True) if a is not None]
    operational = machines(small, models)
    for program, axiomatic, machine in zip(
        small, (a for a in answers if a is not None), operational, strict=True
    ):
        assert machine is not None
        for model in models:
            assert axiomatic[model].executions == machine[model].executions, (model, program)


@needs_checker
def test_the_exploration_alone_on_five_thousand_random_programs() -> None:
    programs = list(islice(random_programs(31, SHAPES), 5_000))
    answers = list(naive(programs, MODELS, 1_000))
    small = [p for p, a in zip(programs, answers, strict=True) if a is not None]
    for program, expected, found in zip(
        small, (a for a in answers if a is not None), explore(small, MODELS), strict=True
    ):
        assert found is not None
        for model in MODELS:
            assert differences(expected[model], found[model]) == [], (model, program)


@needs_checker
@pytest.mark.parametrize("model", MODELS)
def test_the_checker_on_two_thousand_random_programs(model: str) -> None:
    _compare(seed=1, programs=2000, model=model, limit=2_000)


@needs_checker
@pytest.mark.slow
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("seed", range(2, 6))
@pytest.mark.parametrize("model", MODELS)
def test_the_checker_on_many_random_programs(model: str, seed: int) -> None:
    _compare(seed=seed, programs=10_000, model=model, limit=50_000)
