# SPDX-License-Identifier: MIT
"""Litmus tests have the verdicts of the literature, by the enumerator and by the engine."""

from __future__ import annotations

import pytest
from literature import MODELS, LitmusTest, asymmetric, literature
from naive_and_engine import differences, engine, has_checker, has_naive, naive

TESTS = literature() + asymmetric()

needs_naive = pytest.mark.skipif(not has_naive(), reason="no enumerator for this machine")
needs_checker = pytest.mark.skipif(not has_checker(), reason="this build has no checker")


def test_every_test_has_a_name_of_its_own_and_a_source() -> None:
    assert len({test.name for test in TESTS}) == len(TESTS)
    assert all(test.source for test in TESTS)


@needs_naive
@pytest.mark.parametrize("test", TESTS, ids=lambda test: test.name)
def test_the_enumerator_gives_the_verdicts_of_the_literature(test: LitmusTest) -> None:
    (answers,) = naive([test.program], MODELS, condition=test.outcome)
    assert answers is not None
    assert {model: answers[model].satisfied > 0 for model in MODELS} == test.allowed


@needs_checker
@pytest.mark.parametrize("test", TESTS, ids=lambda test: test.name)
def test_the_engine_gives_the_verdicts_of_the_literature(test: LitmusTest) -> None:
    found = {}
    for model in MODELS:
        answer = engine(test.program, model, test.outcome, dump=False)
        assert not answer.error
        found[model] = answer.satisfied > 0
    assert found == test.allowed


@needs_checker
@pytest.mark.parametrize("test", TESTS, ids=lambda test: test.name)
def test_the_engine_explores_the_enumerated_executions_once_each(test: LitmusTest) -> None:
    (answers,) = naive([test.program], MODELS)
    assert answers is not None
    for model in MODELS:
        assert differences(answers[model], engine(test.program, model)) == [], model
