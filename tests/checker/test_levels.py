# SPDX-License-Identifier: MIT
"""The verdict on a program depends neither on the compiler nor on how much it optimises.

Each case of test_programs.py, with gcc and with clang, without optimisation and up to -O3. How many
executions there are may differ. What else differs stands in `DIFFERENT` with its reason."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from test_programs import Case, all_cases, check_here, complaints

CLANG = "clang-14"
LEVELS = ("-O0", "-O1", "-O2", "-O3")

#: What begins so is not compared: which case, compiler and level, and why.
DIFFERENT = {
    r"memory/forbidden_orders\.c.*clang": "clang takes a forbidden order for a relaxed one",
    r"mixed_sizes/counted_stack\.cpp.*clang": "without -mcx16 clang calls a library for 16 bytes",
    r"memory/ended_scopes\.cpp\[(without_order|a_block_that_lasts_long_enough)\]clang": (
        "with clang there is no verdict: the program seems not to do the same again"
    ),
    r"locks/mcs_lock\.cpp\[forgets_a_late_successor\].*-O0": "the line is in the header then",
}

#: A case that says itself what it is compiled with is about that.
_CHOSEN = re.compile(r"--cc|--cxx|--library-as-written|-O.|-[mW].*")


def _at_level(case: Case, compiler: str, level: str) -> Case:
    options = [*case.options, *(["--cc", compiler] if compiler != "gcc" else [])]
    expected = {model: replace(found, executions=None) for model, found in case.expected.items()}
    return replace(case, options=options, flags=[*case.flags, level], expected=expected)


VARIANTS = {
    f"{case.id}{compiler}{level}": _at_level(case, compiler, level)
    for case in all_cases()
    if not any(_CHOSEN.fullmatch(word) for word in (*case.options, *case.flags))
    for compiler in ("gcc", CLANG)
    for level in LEVELS
}
_KNOWN = re.compile("|".join(DIFFERENT) or "(?!)")


@pytest.mark.matrix(400)
@pytest.mark.parametrize("name", [name for name in VARIANTS if not _KNOWN.match(name)])
def test_the_verdict_depends_on_no_compiler_and_no_level(name: str) -> None:
    found = list(complaints(VARIANTS[name], check_here(VARIANTS[name])))
    assert not found, "\n".join(found)


@pytest.mark.parametrize("pattern", DIFFERENT)
def test_each_difference_is_one_of_a_case(pattern: str) -> None:
    assert any(re.match(pattern, name) for name in VARIANTS)
