# SPDX-License-Identifier: MIT
"""What gcc says of its instrumentation is not taken for granted."""

from __future__ import annotations

from pathlib import Path

import pytest
from fencepost.hidden_constructors import harmless_constructors
from fencepost.hidden_copies import check_copies
from fencepost.input_error import Unsupported

TABLE = "Initial Symbol table:\n\n"


def test_a_compiler_that_says_nothing_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Unsupported, match="fdump-tree-tsan"):
        check_copies(tmp_path / "0-program")


def test_a_compiler_that_names_no_variables_is_refused(tmp_path: Path) -> None:
    stem = tmp_path / "program"
    stem.with_suffix(".tsan1").write_text("\nint main ()\n{\n}\n")
    for symbols in (None, ""):
        if symbols is not None:
            stem.with_suffix(".symbols").write_text(symbols)
        with pytest.raises(Unsupported, match="precompiled"):
            check_copies(stem)


def test_a_function_that_shares_its_name_with_a_variable_may_be_passed(tmp_path: Path) -> None:
    def dump(uid: int, place: str = "") -> Path:
        stem = tmp_path / f"{uid}{bool(place)}-program"
        stem.with_suffix(".symbols").write_text(
            TABLE + "work/1 (one::work) @0x1\n  Type: variable\n"
        )
        stem.with_suffix(".tsan1").write_text(
            ";; Function work (_ZL4workPv, funcdef_no=1, decl_uid=77, cgraph_uid=1)\n\n"
            ";; Function main (main, funcdef_no=2, decl_uid=78, cgraph_uid=2)\n\n"
            f"int main ()\n{{\n\n  gimple_call <startD.5, NULL, {place}workD.{uid}>\n}}\n"
        )
        return stem

    check_copies(dump(77))
    # One that is only declared: its address is an expression, which has a place.
    check_copies(dump(76, "[one.cpp:3:9] "))
    with pytest.raises(Unsupported, match="by value"):
        check_copies(dump(76))


def test_a_member_of_a_variable_is_not_taken_for_a_name(tmp_path: Path) -> None:
    stem = tmp_path / "program"
    stem.with_suffix(".symbols").write_text(TABLE + "whole/1 (whole) @0x1\n  Type: variable\n")
    stem.with_suffix(".tsan1").write_text(
        "\nint main ()\n{\n\n  gimple_call <takeD.5, NULL, [one.c:3:9] wholeD.6.partD.7>\n}\n"
    )
    with pytest.raises(Unsupported, match="by value"):
        check_copies(stem)


def test_what_a_call_makes_in_place_is_seen_where_its_destructor_is_registered(
    tmp_path: Path,
) -> None:
    def dump(name: str, registered: str) -> Path:
        stem = tmp_path / name
        stem.with_suffix(".symbols").write_text(TABLE + "made/1 (f::made) @0x1\n  Type: variable\n")
        stem.with_suffix(".tsan1").write_text(
            "\nvoid f ()\n{\n\n  gimple_call <makeD.5, madeD.6> [return slot optimization]\n"
            f"  gimple_call <__cxa_atexitD.7, NULL, __dt_comp D.8, &{registered}, &handleD.9>\n}}\n"
        )
        return stem

    check_copies(dump("itself", "madeD.6"))
    with pytest.raises(Unsupported, match="returns a struct"):
        check_copies(dump("another", "otherD.10"))


def test_a_result_is_made_in_place_where_a_class_is_returned_by_reference(tmp_path: Path) -> None:
    def dump(name: str, kind: str, more: str = "") -> Path:
        stem = tmp_path / name
        stem.with_suffix(".symbols").write_text(TABLE)
        stem.with_suffix(".tsan1").write_text(
            ";; Function make (_Z4makev, funcdef_no=1, decl_uid=5, cgraph_uid=1)\n\n"
            f"struct madeD.4 makeD.5 ()\n{{\n{kind}\n}}\n"
            ";; Function f (_Z1fP5whole, funcdef_no=2, decl_uid=7, cgraph_uid=2)\n\n"
            "void fD.7 (struct wholeD.8 * wD.9)\n{\n\n"
            "  [one.cpp:3:9] gimple_call <makeD.5, [one.cpp:3:9] w_1(D)->partD.10>"
            f" [return slot optimization]\n}}\n{more}"
        )
        return stem

    by_reference = "  struct madeD.4 & _1(D);\n\n  [one.cpp:1:1] gimple_return <_1(D)>"
    by_value = "  struct madeD.4 D.6;\n\n  [one.cpp:1:1] gimple_return <D.6>"
    check_copies(dump("reference", by_reference))
    with pytest.raises(Unsupported, match="returns a struct"):
        check_copies(dump("value", by_value))

    def destructor(member: str) -> str:
        return (
            ";; Function whole::~whole (_ZN5wholeD2Ev, funcdef_no=3, decl_uid=11, cgraph_uid=3)\n\n"
            "void whole::~wholeD.11 (struct wholeD.8 * const thisD.12)\n{\n"
            "  struct madeD.4 * _1;\n\n"
            f"  gimple_assign <addr_expr, _1, [a.cpp:1:1] &this_2(D)->{member}, NULL, NULL>\n"
            "  gimple_call <__dt_comp D.13, NULL, _1>\n}\n"
        )

    check_copies(dump("destroyed", by_value, destructor("partD.10")))
    with pytest.raises(Unsupported, match="returns a struct"):
        check_copies(dump("another", by_value, destructor("otherD.14")))


def test_the_commas_of_a_template_are_no_parameters() -> None:
    def dump(stored: str) -> str:
        return (
            ";; Function box<int, int>::box (_ZN3boxIiiEC2ERKi, funcdef_no=1, decl_uid=50, x=1)\n"
            "\nvoid box<std::pair<int, int>, int>::boxD.50 "
            "(struct boxD.40 * const thisD.51, void (*<T1>) (int, int) D.52)\n{\n"
            f"  gimple_assign <ssa_name, {stored}, NULL, NULL>\n}}\n"
        )

    assert harmless_constructors(dump("this_1(D)->nD.53, _2")) == {"50", "47"}
    assert harmless_constructors(dump("allD.54, this_1(D)")) == frozenset()
