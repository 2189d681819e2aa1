# SPDX-License-Identifier: MIT
"""The verdict on a program depends neither on the compiler nor on how much it optimises.

Each case of test_programs.py, with gcc and with clang, without optimisation and up to -O3. How many
executions there are may differ. What else differs stands in `DIFFERENT` with its reason."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from fencepost.explore.annotated import Case
from fencepost.toolchain.compile_source import GNU_ONLY
from test_programs import all_cases, check_here, complaints, id_of, options_of

CLANG = "clang-14"
LEVELS = ("-O0", "-O1", "-O2", "-O3")

#: What begins so is not compared: which case, compiler and level, and why.
DIFFERENT = {
    r"memory/forbidden_orders\.c.*clang": "clang takes a forbidden order for a relaxed one",
    r"bad_input/reads_input\.c\[getchar\].*-O0": (
        "there is no verdict in place of a refusal: the header's getchar names stdin, but where "
        "it is not inlined the library's is called"
    ),
    r"bad_input/reads_input\.cpp\[a_buffer_of_no_file\].*-O0": (
        "there is no verdict: the buffer's constructor is the library's unless it is inlined"
    ),
    r"mixed_sizes/counted_stack\.cpp.*clang": "without -mcx16 clang calls a library for 16 bytes",
    r"locals/blocks_of_the_stack\.cpp\[an_exception_(leaves|ends_only).*-O0": (
        "there is no verdict: the exception's address stays in a register, and is another each time"
    ),
    r"lockfree/treiber_stack\.cpp\[bare_pointer\]clang-1[456]-O[123]": (
        "the place of the failed assertion is the call that it is inlined into"
    ),
    r"pthread/two_by_trying\.c\[the_first_attempt_before_the_loop\]clang.*-O[123]": (
        "there is no verdict: clang takes one more attempt out of the loop, and so there are too "
        "many ways in which the rounds of one thread come to nothing for the other"
    ),
    r"polling/attempts_in_turn\.cpp(.*clang|\[by_hand\]gcc-O0)": (
        "there is no verdict in minutes: rounds are found to be back where they were too rarely"
    ),
    r"locks/taken_together\.cpp\[found_held_and_taken_before\]clang.*-O[123]": (
        "there is no verdict: rounds of the library's loop, which is inlined, are found to be back "
        "where they were too rarely"
    ),
    r"inline_assembly/copied_results\.c\[with_a_jump_that_is_taken\]clang-1[456]": (
        "before version 17 clang stores what `asm goto` gives only where that does not jump"
    ),
    r"shipped/(ck|urcu)/.*gcc-O0": (
        "gcc compiles what never runs, functions that nobody calls and cases that cannot be, and "
        "refuses its `lock neg` or `ud2`; clang, which is tried then, does not"
    ),
    r"spin/until_stopped\.c.*clang": "clang does not say where loops turn",
    r"spin/bounded_proved\.c\[many_rounds\]clang": "with clang nothing is proved of the loop",
    r"locks/cas_loop_counter\.c\[(one_weak_attempt|weak)_that_may_fail_for_no_reason\]clang": (
        "clang does not tell weak from strong compare-exchange"
    ),
    r"memory/held_where_it_ends\.cpp\[left_by_an_exception\]clang": (
        "clang does not say that an exception ends the scope of what has no destructor"
    ),
    r"inline_assembly/locks\.c\[exchange_with_back_off\]clang": (
        "with clang registers keep what nobody looks at any more: no pass of ours clears them"
    ),
    r"memory/behind_the_last_member\.cpp\[compared_though_nobody_has_written_it\]clang": (
        "clang copies an object's members, and what lies between them is what was on the stack"
    ),
}

#: A case that says itself what it is compiled with is about that.
_CHOSEN = re.compile(r"--cc|--cxx|--library-as-written|-O.|-[mW].*")


def at_level(case: Case, compiler: str, level: str) -> Case:
    options = (*options_of(case), *(["--cc", compiler] if compiler != "gcc" else []))
    in_header = level == "-O0"  # nothing is inlined into the program's own lines
    expected = {
        model: replace(found, executions=None, or_in_header=in_header)
        for model, found in case.expected.items()
    }
    return replace(case, runs=(options,), flags=(*case.flags, level), expected=expected)


def comparable() -> list[Case]:
    """Those that say nothing of their compiler themselves."""
    return [
        case
        for case in all_cases()
        if not any(_CHOSEN.fullmatch(word) for word in (*options_of(case), *case.flags))
    ]


VARIANTS = {
    f"{id_of(case)}{compiler}{level}": at_level(case, compiler, level)
    for case in comparable()
    for compiler in ("gcc", CLANG)
    for level in LEVELS
    if (compiler, level) != ("gcc", "-O1")  # test_programs.py's
}


def is_known_to_differ(name: str) -> bool:
    return any(re.match(pattern, name) for pattern in DIFFERENT)


@pytest.fixture
def gcc_checks_its_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    """It fails then where what our plugin inserts fits nothing else."""
    monkeypatch.setattr("fencepost.toolchain.compile_source.GNU_ONLY", [*GNU_ONLY, "-fchecking"])


@pytest.mark.usefixtures("gcc_checks_its_tables")
@pytest.mark.matrix(1000, 3)
@pytest.mark.parametrize("name", [name for name in VARIANTS if not is_known_to_differ(name)])
def test_the_verdict_depends_on_no_compiler_and_no_level(name: str) -> None:
    found = list(complaints(VARIANTS[name], check_here(VARIANTS[name])))
    assert not found, "\n".join(found)


@pytest.mark.parametrize("pattern", DIFFERENT)
def test_each_difference_is_one_of_a_case(pattern: str) -> None:
    assert any(re.match(pattern, name) for name in VARIANTS)
