# SPDX-License-Identifier: MIT
"""On random programs the engine explores the executions that enumeration finds, each once."""

from __future__ import annotations

import re
from itertools import islice

import pytest
import samples
from literature import MODELS, asymmetric, literature
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

pytestmark = pytest.mark.matrix(8)

SHAPES = [test.program for test in literature()]
ASYMMETRIC_SHAPES = SHAPES + [test.program for test in asymmetric()]

needs_naive = pytest.mark.skipif(not has_naive(), reason="no enumerator for this machine")
needs_checker = pytest.mark.skipif(not has_checker(), reason="this build has no checker")


def _asymmetric(seed: int, programs: int) -> list[str]:
    return list(islice(random_programs(seed, ASYMMETRIC_SHAPES, asymmetric=True), programs))


def _compare(texts: list[str], model: str, limit: int) -> None:
    different = []
    compared = 0
    for program, _, wrong, _ in compare(texts, [model], limit):
        compared += 1
        if wrong:
            different.append((program, wrong[:5]))
    assert different == []
    assert compared > len(texts) * 0.7, "too many programs were over the limit"


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


def _executions(programs: list[str], limit: int) -> list[tuple[str, str, set[str], set[str]]]:
    """What the axioms and what the machines permit, for the programs that are small enough."""
    models = ("sc", "x86")
    answers = list(naive(programs, models, limit))
    small = [p for p, a in zip(programs, answers, strict=True) if a is not None]
    found = []
    for program, axiomatic, machine in zip(
        small, (a for a in answers if a is not None), machines(small, models), strict=True
    ):
        assert machine is not None
        for model in models:
            permitted, performed = axiomatic[model].executions, machine[model].executions
            found.append((model, program, set(permitted), set(performed)))
    assert len(found) > len(programs), "too many programs were over the limit"
    return found


@needs_naive
def test_interrupted_machines_do_nothing_that_the_axioms_of_asymmetric_fences_forbid() -> None:
    for model, program, permitted, performed in _executions(_asymmetric(12, 1000), 500):
        assert performed <= permitted, (model, program)


@needs_naive
def test_with_light_fences_everywhere_interrupted_machines_do_all_that_the_axioms_permit() -> None:
    """A machine is interrupted anywhere, the axioms speak of its light fences alone."""
    fenced = [
        re.sub(r"(T\d: |[;{] )(?=(r\d=)?[RWXUCN] )", r"\1F light; ", program)
        for program in _asymmetric(13, 1000)
    ]
    for model, program, permitted, performed in _executions(fenced, 500):
        assert performed == permitted, (model, program)


@needs_checker
@pytest.mark.matrix(5)
@pytest.mark.parametrize("kind", ["symmetric", "asymmetric"])
def test_the_exploration_alone_on_five_thousand_random_programs(kind: str) -> None:
    symmetric = kind == "symmetric"
    programs = (
        list(islice(random_programs(31, SHAPES), 5_000)) if symmetric else _asymmetric(31, 5_000)
    )
    answers = list(naive(programs, MODELS, 1_000))
    small = [p for p, a in zip(programs, answers, strict=True) if a is not None]
    for program, expected, found in zip(
        small, (a for a in answers if a is not None), explore(small, MODELS), strict=True
    ):
        assert found is not None
        for model in MODELS:
            assert differences(expected[model], found[model]) == [], (model, program)


@needs_checker
@pytest.mark.matrix(5)
@pytest.mark.parametrize("model", MODELS)
def test_the_checker_on_two_thousand_random_programs(model: str) -> None:
    _compare(list(islice(random_programs(1, SHAPES), 2000)), model, 2_000)


@needs_checker
@pytest.mark.matrix(5)
@pytest.mark.parametrize("model", MODELS)
def test_the_checker_on_a_thousand_asymmetric_programs(model: str) -> None:
    _compare(_asymmetric(1, 1000), model, 1_000)


@needs_checker
@pytest.mark.parametrize("model", MODELS)
def test_the_checker_on_a_sample_of_random_programs(model: str) -> None:
    _compare(list(islice(random_programs(samples.seed(), SHAPES), 300)), model, 2_000)
    _compare(_asymmetric(samples.seed(), 150), model, 1_000)


@needs_checker
@pytest.mark.slow
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("model", MODELS)
def test_the_checker_on_many_random_programs(model: str) -> None:
    _compare(list(islice(random_programs(samples.seed_of(2), SHAPES), 10_000)), model, 50_000)


@needs_checker
@pytest.mark.slow
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("model", MODELS)
def test_the_checker_on_many_asymmetric_programs(model: str) -> None:
    _compare(_asymmetric(samples.seed_of(2), 10_000), model, 20_000)
