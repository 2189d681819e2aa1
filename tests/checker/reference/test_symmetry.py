# SPDX-License-Identifier: MIT
"""With identical threads exchanged, the reduced search finds what enumeration finds, and no two
executions that an exchange makes the same."""

from __future__ import annotations

import random
import re
from collections import Counter
from itertools import islice

import pytest
import samples
from exchanges import exchanged, exchanges, has_twins, with_twins
from literature import MODELS, asymmetric, literature
from naive_and_engine import explore, has_checker, naive
from random_programs import mixed_size_programs, random_programs

SHAPES = [test.program for test in literature()]
ASYMMETRIC_SHAPES = [test.program for test in asymmetric()]

pytestmark = pytest.mark.skipif(not has_checker(), reason="this build has no checker")

KINDS = ("symmetric fences", "asymmetric fences", "mixed sizes")
#: Behind these nothing is left out: a non-atomic addition, and a read of several bytes.
UNORDERED = re.compile(r"\bN |\b[RUXC] [w-z]:[w-z]\b")


def _programs(kind: str, seed: int, count: int) -> list[str]:
    rng = random.Random(seed)
    if kind == "mixed sizes":
        programs = mixed_size_programs(seed)
    elif kind == "asymmetric fences":
        programs = random_programs(seed, SHAPES + ASYMMETRIC_SHAPES, asymmetric=True)
    else:
        programs = random_programs(seed, SHAPES, asymmetric=False)
    found = (with_twins(p, rng) for p in programs)
    return list(islice((p for p in found if has_twins(p)), count))


def _compare(kind: str, seed: int, count: int) -> tuple[int, int]:
    """How many executions there are, and how many are explored, after all have been compared."""
    programs = _programs(kind, seed, count)
    answers = list(naive(programs, MODELS, 1_000))
    small = [p for p, a in zip(programs, answers, strict=True) if a is not None]
    assert len(small) > len(programs) * 0.3, "too many programs were over the limit"
    whole = reduced = 0
    for program, expected, found in zip(
        small,
        (a for a in answers if a is not None),
        explore(small, MODELS, symmetry=True),
        strict=True,
    ):
        assert found is not None
        names = list(exchanges(program))
        for model in MODELS:
            permitted = {min(exchanged(e, n) for n in names) for e in expected[model].executions}
            classes = Counter(min(exchanged(e, n) for n in names) for e in found[model].executions)
            assert set(classes) == permitted, (model, program)
            assert max(Counter(found[model].executions).values()) == 1, (model, program)
            if not UNORDERED.search(program):
                assert max(classes.values()) == 1, (model, program)
            whole += len(expected[model].executions)
            reduced += len(found[model].executions)
    return whole, reduced


@pytest.mark.matrix(4)
@pytest.mark.parametrize("kind", KINDS)
def test_one_execution_of_each_class_on_random_programs(kind: str) -> None:
    whole, reduced = _compare(kind, 7, 700)
    assert reduced < whole / (1.8 if kind == "mixed sizes" else 2)


@pytest.mark.parametrize("kind", KINDS)
def test_one_execution_of_each_class_on_a_sample_of_random_programs(kind: str) -> None:
    _compare(kind, samples.seed(), 150)


@pytest.mark.slow
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("kind", KINDS)
def test_one_execution_of_each_class_on_many_random_programs(kind: str) -> None:
    _compare(kind, samples.seed_of(8), 10_000)
