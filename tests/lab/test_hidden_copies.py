# SPDX-License-Identifier: MIT
"""What gcc says of its instrumentation is not taken for granted."""

from __future__ import annotations

from pathlib import Path

import pytest
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
