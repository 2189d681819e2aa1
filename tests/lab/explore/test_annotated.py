# SPDX-License-Identifier: MIT
"""The comment at a program's top, which says how it is checked and what is expected of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from fencepost.console.input_error import UnusableInput
from fencepost.explore.annotated import KINDS, Case, Expected, arguments_of, cases_of, unlike
from fencepost.explore.arguments import bounds_of
from fencepost.render.sarif import RULES


def _cases(tmp_path: Path, text: str) -> list[Case]:
    path = tmp_path / "program.cpp"
    path.write_text(text)
    return cases_of(path)


def test_a_program_that_says_nothing_holds_in_one_run_under_each_model(tmp_path: Path) -> None:
    (case,) = _cases(tmp_path, "// About locks: what is said, and why.\nint main() {}\n")
    assert case == Case(tmp_path / "program.cpp")
    assert case.runs == ((),) and case.holds_under == ("c++20", "x86", "sc")


def test_what_is_said_of_all_is_said_of_each(tmp_path: Path) -> None:
    path = tmp_path / "program.cpp"
    text = """\
// SPDX-License-Identifier: MIT
//
// expect: c++20,x86=holds executions=3
// options:
// options: --spurious --max-events 50
// flags: -O2
// slow
// case: many -DPRODUCERS=2 "-DNAME=a b"
// case: none -DWAKES=0
// flags: -DMORE
// options: --leaks
// expect: c++20=lost-wakeup|holds at=HERE
// expect: sc=violated says="for ever"
int main() {}
// options: --leaks
"""
    counted = Expected(executions=3)
    assert _cases(tmp_path, text) == [
        Case(
            path,
            "many",
            ("-O2", "-DPRODUCERS=2", "-DNAME=a b"),
            ((), ("--spurious", "--max-events", "50")),
            {"c++20": counted, "x86": counted},
            slow=True,
        ),
        Case(
            path,
            "none",
            ("-O2", "-DWAKES=0", "-DMORE"),
            (("--leaks",),),
            {
                "c++20": Expected(("violated:lost-wakeup", "holds"), at="HERE"),
                "sc": Expected(("violated",), says="for ever"),
            },
            slow=True,
        ),
    ]
    assert [case.holds_under for case in _cases(tmp_path, text)] == [("c++20", "x86"), ()]


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("case: -DPRODUCERS=2", "'case:' needs a name before the flags"),
        ("case:", "'case:' needs a name"),
        ("case: first", "two cases are called first"),
        ('options: "--spurious', "no closing quotation"),
        ("expects: all=holds", "'expects:' is not understood; is it to be 'expect:'?"),
        ("option: --spurious", "is it to be 'options:'?"),
        ("expect: holds", "'holds' is no MODEL=VERDICT"),
        ("expect: at=HERE", "there is no MODEL=VERDICT"),
        ("expect: arm=holds", "there is no model 'arm'"),
        ("expect: all=hold", "there is no verdict 'hold'"),
        ("expect: all=holds:deadlock", "there is no verdict 'holds:deadlock'"),
        ("expect: all=violated:race", "there is no verdict 'violated:race'"),
        ("expect: all=holds executions=few", "executions=few: it is to be a number"),
        ("expect: all=violated says=(", "says=(: "),
    ],
)
def test_what_is_not_understood_is_named_with_its_line(
    tmp_path: Path, line: str, complaint: str
) -> None:
    with pytest.raises(UnusableInput) as found:
        _cases(tmp_path, f"// case: first\n// {line}\n")
    assert "program.cpp:2: " in str(found.value) and complaint in str(found.value)


def test_options_are_those_of_check() -> None:
    case = Case(Path("a.cpp"), flags=("-DA",))
    args = arguments_of(case, ("--timeouts", "--max-events", "50", "--cc", "clang-14"))
    said = bounds_of(args, "x86")
    assert (said.model, said.timeouts, said.spurious, said.max_events) == ("x86", 1, 0, 50)
    assert (args.cc, args.passed_on, args.jobs) == ("clang-14", ["-DA"], 1)
    for words in (("--spuriously",), ("--json",), ("--max-events",), ("--reuse", "--no-reuse")):
        with pytest.raises(UnusableInput, match=r"a\.cpp: options: "):
            arguments_of(case, words)


def test_each_kind_of_violation_may_be_expected() -> None:
    assert set(RULES) - {"inconclusive"} == KINDS


HOLDS = {"verdict": "holds", "executions": 3, "blocked": 1}
RACE = {
    "verdict": "violated",
    "violation": {"kind": "data-race", "message": "x is written", "location": "a.cpp:3:1"},
}
NO_VERDICT = {"verdict": "inconclusive", "reason": "stopped at the time limit"}
REFUSED = {
    "verdict": "inconclusive",
    "reason": "a.cpp:4: fork",
    "error": {"message": "calls fork", "location": "a.cpp:4"},
}
ERROR = {"verdict": None, "error": {"message": "no such header", "location": "a.cpp:1"}}


@pytest.mark.parametrize(
    ("found", "expected", "complaint"),
    [
        (HOLDS, Expected(), ""),
        (HOLDS, Expected(executions=3, blocked=1), ""),
        (HOLDS, Expected(executions=4), "expected 4 executions, got 3"),
        (HOLDS, Expected(blocked=0), "expected 0 blocked, got 1"),
        (HOLDS, Expected(("violated",)), "expected violated, got holds"),
        (HOLDS, Expected(("refused", "inconclusive")), "expected refused or inconclusive, got h"),
        (RACE, Expected(("violated",)), ""),
        (RACE, Expected(("violated:memory", "violated:data-race")), ""),
        (RACE, Expected(), "expected holds, got violated:data-race"),
        (RACE, Expected(("violated:memory",)), "expected violated:memory, got violated:data-race"),
        (RACE, Expected(("violated",), at="RACE", says="x .* written"), ""),
        (RACE, Expected(("violated",), at="OTHER"), "expected line 4, got 'a.cpp:3:1'"),
        (RACE, Expected(("violated",), at="NO"), "expected line marked @NO, which none is, got "),
        (RACE, Expected(("violated",), says="y"), "expected to read /y/, got 'x is written'"),
        (NO_VERDICT, Expected(("inconclusive",), says="time limit"), ""),
        (NO_VERDICT, Expected(("refused",)), "expected refused, got inconclusive"),
        (REFUSED, Expected(("refused",), at="OTHER", says="fork"), ""),
        (REFUSED, Expected(("inconclusive",)), ""),
        (REFUSED, Expected(("error",)), "expected error, got refused"),
        (ERROR, Expected(("error",), says="header"), ""),
        (ERROR, Expected(), "expected holds, got error"),
    ],
)
def test_a_result_is_compared_with_what_is_expected(
    tmp_path: Path, found: dict[str, Any], expected: Expected, complaint: str
) -> None:
    path = tmp_path / "a.cpp"
    path.write_text("int x;\n\nx = 1;  // @RACE\nfork();  // @OTHER\n")
    told = list(unlike(Case(path, expected={"sc": expected}), "sc", found))
    assert len(told) == bool(complaint) and all(text.startswith(complaint) for text in told), told
