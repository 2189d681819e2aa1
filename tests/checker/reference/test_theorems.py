# SPDX-License-Identifier: MIT
"""Theorems about the models hold of the enumerator's answers on random programs."""

from __future__ import annotations

import re
from itertools import islice

import pytest
from literature import MODELS, asymmetric, literature
from naive_and_engine import has_naive, naive
from random_programs import random_programs

pytestmark = [
    pytest.mark.matrix(5),
    pytest.mark.skipif(not has_naive(), reason="no enumerator for this machine"),
]

SHAPES = [test.program for test in literature()]
LIMIT = 1_000


def _programs(seed: int, count: int) -> list[str]:
    return SHAPES + list(islice(random_programs(seed, SHAPES), count))


def _asymmetric(seed: int, count: int) -> list[str]:
    shapes = [test.program for test in asymmetric()]
    return shapes + list(islice(random_programs(seed, SHAPES + shapes, asymmetric=True), count))


def _executions(programs: list[str], model: str) -> list[set[str] | None]:
    """None for those with too many candidates."""
    answers = naive(programs, [model], LIMIT)
    return [None if answer is None else set(answer[model].executions) for answer in answers]


def _all_seq_cst(program: str) -> str:
    return re.sub(r"\b(acq_rel|acq|rel|rlx)\b", "sc", program)


def _all_relaxed(program: str) -> str:
    return re.sub(r"\b(acq_rel|acq|rel|sc)\b", "rlx", re.sub(r"F \w+", "F rel", program))


def _fenced(program: str) -> str:
    """A seq_cst fence before each statement, every access relaxed."""
    relaxed = re.sub(r"\b(acq_rel|acq|rel|sc)\b", "rlx", re.sub(r"F \w+;? ?", "", program))
    return re.sub(r"(T\d: |[;{] )(?=(r\d=)?[RWXUC] )", r"\1F sc; ", relaxed)


def test_sc_is_stronger_than_x86_which_is_stronger_than_both_standards() -> None:
    """The latter is the soundness of the mapping to x86 (Lahav et al., PLDI 2017; of C++14 Batty,
    Owens, Sarkar, Sewell and Weber, POPL 2011)."""
    programs = _programs(21, 2000) + _asymmetric(21, 2000)
    for program, answer in zip(programs, naive(programs, MODELS, LIMIT), strict=True):
        if answer is not None:
            sc, cpp20, x86, cpp14 = (set(answer[model].executions) for model in MODELS)
            assert sc <= x86 <= cpp20, program
            assert x86 <= cpp14, program


def test_programs_of_seq_cst_operations_alone_are_sequentially_consistent() -> None:
    programs = [_all_seq_cst(program) for program in _programs(22, 1000)]
    reference = _executions(programs, "sc")
    assert _executions(programs, "c++20") == reference
    assert _executions(programs, "c++14") == reference
    assert _executions(programs, "x86") == reference


def test_seq_cst_fences_between_all_accesses_restore_sequential_consistency() -> None:
    programs = [_fenced(program) for program in _programs(23, 1000)]
    reference = _executions(programs, "sc")
    assert _executions(programs, "c++20") == reference
    assert _executions(programs, "x86") == reference


@pytest.mark.parametrize("model", ["c++20", "c++14", "x86"])
def test_stronger_orders_never_add_an_execution(model: str) -> None:
    programs = _programs(24, 1000)
    given = _executions(programs, model)
    strong = _executions([_all_seq_cst(program) for program in programs], model)
    weak = _executions([_all_relaxed(program) for program in programs], model)
    for program, least, some, most in zip(programs, strong, given, weak, strict=True):
        if least is not None and some is not None and most is not None:
            assert least <= some <= most, program


@pytest.mark.parametrize("model", ["c++20", "x86"])
def test_asymmetric_fences_are_between_none_and_full_ones(model: str) -> None:
    programs = [re.sub(r"\bN (\w) (\d)", r"U \1 add \2 acq_rel", p) for p in _asymmetric(25, 1000)]
    given = _executions(programs, model)
    full = _executions([re.sub(r"F (light|heavy)", "F sc", p) for p in programs], model)
    plain = _executions([p.replace("F heavy", "F sc") for p in programs], model)
    none = _executions([re.sub(r"F (light|heavy);? ?", "", p) for p in programs], model)
    for program, least, some, more, most in zip(programs, full, given, plain, none, strict=True):
        if least is not None and some is not None and more is not None and most is not None:
            assert least <= some <= more <= most, program


def test_the_light_fences_of_one_thread_are_full_if_all_other_fences_are_heavy() -> None:
    """In C++20, where nothing orders relaxed accesses but fences."""
    programs = []
    for program in _asymmetric(26, 4000):
        if re.search(r"\b(sc|acq|rel|acq_rel|X|U|C|N)\b", program):
            continue  # those know only full fences, or are some themselves
        first, *others = re.split(r"(?=T1:)", program)
        first = re.sub(r"F \w+", "F light", first)
        programs.append(first + re.sub(r"F \w+", "F heavy", "".join(others)))
    assert len(programs) > 500
    full = [re.sub(r"F (light|heavy)", "F sc", p) for p in programs]
    assert _executions(programs, "c++20") == _executions(full, "c++20")
