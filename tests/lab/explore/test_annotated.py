# SPDX-License-Identifier: MIT
"""The comment at a program's top, which says how it is to be checked."""

from __future__ import annotations

from pathlib import Path

import pytest
from fencepost.console.input_error import UnusableInput
from fencepost.system.head_comment import Variant, variants_of
from fencepost.weaken.subjects import bounds_said


def _variants(tmp_path: Path, text: str) -> list[Variant]:
    path = tmp_path / "program.cpp"
    path.write_text(text)
    return variants_of(path)


def test_a_program_that_says_nothing_is_one_variant_with_one_run(tmp_path: Path) -> None:
    path = tmp_path / "program.cpp"
    assert _variants(tmp_path, "// About locks: options, models.\nint main() {}\n") == [
        Variant(path)
    ]


def test_what_is_said_is_taken_in(tmp_path: Path) -> None:
    path = tmp_path / "program.cpp"
    models, runs = ("c++20", "x86"), ((), ("--spurious", "--max-events", "50"))
    text = """\
// SPDX-License-Identifier: MIT
//
// models: c++20, x86
// options:
// options: --spurious --max-events 50
// fails: none -DWAKES=0
// variant: many -DPRODUCERS=2 "-DNAME=a b"
// slow
int main() {}
// options: --leaks
"""
    assert _variants(tmp_path, text) == [
        Variant(path, "many", ("-DPRODUCERS=2", "-DNAME=a b"), models, runs, slow=True),
        Variant(path, "none", ("-DWAKES=0",), models, runs, slow=True, fails=True),
    ]


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("variant: -DPRODUCERS=2", "program.cpp:2: 'variant:' needs a name before the flags"),
        ("variant:", "program.cpp:2: 'variant:' needs a name"),
        ("variant: first", "program.cpp:2: two variants are called first"),
        ('options: "--spurious', "program.cpp:2: no closing quotation"),
    ],
)
def test_what_is_not_understood_is_named_with_its_line(
    tmp_path: Path, line: str, complaint: str
) -> None:
    with pytest.raises(UnusableInput) as found:
        _variants(tmp_path, f"// variant: first\n// {line}\n")
    assert complaint in str(found.value)


def test_options_are_those_of_check() -> None:
    said = bounds_said(("--timeouts", "--max-events", "50"), Path("a.cpp"), "x86")
    assert (said.model, said.timeouts, said.spurious, said.max_events) == ("x86", 1, 0, 50)
    for word in ("--spuriously", "--json", "--max-events"):
        with pytest.raises(UnusableInput, match=r"a\.cpp: options: "):
            bounds_said((word,), Path("a.cpp"), "c++20")
