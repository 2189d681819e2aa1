# SPDX-License-Identifier: MIT
"""Orders written into source text: the forms that are understood, and those that are refused."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from fencepost.binary.call_places import Place
from fencepost.weaken.edits import edit
from fencepost.weaken.lattice import Value
from fencepost.weaken.sites import Site


def _edited(
    tmp_path: Path, text: str, operation: str, written: Value, value: Value, name: str = "a.cpp"
) -> str:
    """The text after an edit of the operation at `@`, or why there is none."""
    before, _, after = text.partition("@")
    path = tmp_path / name
    path.write_text(before + after)
    column = len(before.rpartition("\n")[2].encode()) + 1
    place = Place("", str(path), before.count("\n") + 1, column)
    done = edit([(Site(place, operation, written=written), value)])
    if done.refused:
        return f"refused: {done.refused[0][1]}"
    return done.texts[path][1]


SC, REL, ACQ, RLX = ("seq_cst",), ("release",), ("acquire",), ("relaxed",)


@pytest.mark.parametrize(
    ("operation", "old", "new", "before", "after"),
    [
        ("store", SC, REL, "x.store@(1);", "x.store(1, std::memory_order_release);"),
        (
            "store",
            SC,
            REL,
            "x.@store(f(1, 2), std::memory_order_seq_cst);",
            "x.store(f(1, 2), std::memory_order_release);",
        ),
        ("load", SC, ACQ, "x.load@();", "x.load(std::memory_order_acquire);"),
        (
            "load",
            ACQ,
            RLX,
            "x->load@(std::memory_order::acquire);",
            "x->load(std::memory_order::relaxed);",
        ),
        (
            "load",
            SC,
            RLX,
            "f(y.load(), x.load@());",
            "f(y.load(), x.load(std::memory_order_relaxed));",
        ),
        ("exchange", SC, ACQ, "f.test_and_set@();", "f.test_and_set(std::memory_order_acquire);"),
        (
            "fetch_add",
            SC,
            RLX,
            "x.fetch_add@(\n    1);",
            "x.fetch_add(\n    1, std::memory_order_relaxed);",
        ),
        (
            "store",
            SC,
            REL,
            "/* é */ x.store@(1);",
            "/* é */ x.store(1, std::memory_order_release);",
        ),
        (
            "load",
            SC,
            ACQ,
            "@assert(y == x.load());",
            "assert(y == x.load(std::memory_order_acquire));",
        ),
        (
            "fence",
            SC,
            ("acq_rel",),
            "@std::atomic_thread_fence(std::memory_order_seq_cst);",
            "std::atomic_thread_fence(std::memory_order_acq_rel);",
        ),
        (
            "fence",
            SC,
            ("none",),
            "f();\n  @std::atomic_thread_fence(std::memory_order_seq_cst);  // why\ng();",
            "f();\ng();",
        ),
        (
            "fence",
            SC,
            ("none",),
            "if (a)\n  @std::atomic_thread_fence(std::memory_order_seq_cst);\ng();",
            "if (a)\n  std::atomic_thread_fence(std::memory_order_relaxed);\ng();",
        ),
    ],
)
def test_orders_are_written_into_cpp(
    tmp_path: Path, operation: str, old: Value, new: Value, before: str, after: str
) -> None:
    assert _edited(tmp_path, before, operation, old, new) == after


@pytest.mark.parametrize(
    ("operation", "old", "new", "before", "after"),
    [
        (
            "store",
            SC,
            REL,
            "@atomic_store(&x, 1);",
            "atomic_store_explicit(&x, 1, memory_order_release);",
        ),
        (
            "store",
            SC,
            REL,
            "@atomic_store_explicit(&x, 1, memory_order_seq_cst);",
            "atomic_store_explicit(&x, 1, memory_order_release);",
        ),
        (
            "load",
            SC,
            ACQ,
            "@__atomic_load_n(&x, __ATOMIC_SEQ_CST);",
            "__atomic_load_n(&x, __ATOMIC_ACQUIRE);",
        ),
        (
            "fetch_add",
            SC,
            RLX,
            "@__atomic_add_fetch(&x, 1, __ATOMIC_SEQ_CST);",
            "__atomic_add_fetch(&x, 1, __ATOMIC_RELAXED);",
        ),
        (
            "compare_exchange",
            ("seq_cst", "seq_cst"),
            ("acquire", "relaxed"),
            "@atomic_compare_exchange_strong(&x, &e, 2);",
            "atomic_compare_exchange_strong_explicit(&x, &e, 2, memory_order_acquire, "
            "memory_order_relaxed);",
        ),
    ],
)
def test_orders_are_written_into_c(
    tmp_path: Path, operation: str, old: Value, new: Value, before: str, after: str
) -> None:
    assert _edited(tmp_path, before, operation, old, new, "a.c") == after


@pytest.mark.parametrize(
    ("old", "new", "before", "after"),
    [
        (
            ("seq_cst", "seq_cst"),
            ("acq_rel", "acquire"),
            "x.compare_exchange_weak@(e, d);",
            "x.compare_exchange_weak(e, d, std::memory_order_acq_rel);",
        ),
        (
            ("seq_cst", "seq_cst"),
            ("acquire", "relaxed"),
            "x.compare_exchange_weak@(e, d);",
            "x.compare_exchange_weak(e, d, std::memory_order_acquire, std::memory_order_relaxed);",
        ),
        (
            ("acq_rel", "acquire"),
            ("acq_rel", "relaxed"),
            "x.compare_exchange_weak@(e, d, std::memory_order::acq_rel);",
            "x.compare_exchange_weak(e, d, std::memory_order::acq_rel, "
            "std::memory_order::relaxed);",
        ),
        (
            ("acq_rel", "acquire"),
            ("acquire", "relaxed"),
            "x.compare_exchange_weak@(e, d, std::memory_order_acq_rel,\n"
            "  std::memory_order_acquire);",
            "x.compare_exchange_weak(e, d, std::memory_order_acquire,\n"
            "  std::memory_order_relaxed);",
        ),
    ],
)
def test_compare_exchange_has_an_order_for_failure(
    tmp_path: Path, old: Value, new: Value, before: str, after: str
) -> None:
    assert _edited(tmp_path, before, "compare_exchange", old, new) == after


@pytest.mark.parametrize(
    ("before", "why"),
    [
        ("x @= 1;", "no store with an order"),
        ("y.store(x @= 1);", "no store with an order"),
        ("x @= 1; y.store(1);", "no store with an order"),
        ("x.store@(1, order);", "not written out: 'order'"),
        ("x.store@(1, std::memory_order_relaxed);", "another order is written there: relaxed"),
        ("// x.store@(1);", "no store with an order"),
        ("STORE@(x, 1);", "no store with an order"),
        ("@BOTH(x.store(1), y.store(1));", "no store with an order"),
    ],
)
def test_what_is_not_written_out_is_refused(tmp_path: Path, before: str, why: str) -> None:
    answer = _edited(tmp_path, before, "store", SC, REL)
    assert answer.startswith("refused: ") and why in answer


def test_a_patch_has_the_lines_that_change(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "a.c"
    path.write_text("one\n  atomic_store(&x, 1);\nthree")
    site = Site(Place("", str(path), 2, 3), "store", written=SC)
    assert edit([(site, REL)]).diff() == (
        "--- a/a.c\n+++ b/a.c\n@@ -1,3 +1,3 @@\n one\n-  atomic_store(&x, 1);\n"
        "+  atomic_store_explicit(&x, 1, memory_order_release);\n three\n"
        "\\ No newline at end of file\n"
    )


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("c.store@(U'(');", "c.store(U'(', std::memory_order_release);"),
        ("c.store@(u8')');", "c.store(u8')', std::memory_order_release);"),
        ("c.store@(1'000);", "c.store(1'000, std::memory_order_release);"),
        (
            "// as <stdatomic.h> has it\nc.store@(1);",
            "// as <stdatomic.h> has it\nc.store(1, std::memory_order_release);",
        ),
        (
            "#include <stdatomic.h>\nc.store@(1);",
            "#include <stdatomic.h>\nc.store(1, memory_order_release);",
        ),
    ],
)
def test_orders_are_spelt_as_the_text_can_read_them(
    tmp_path: Path, before: str, after: str
) -> None:
    assert _edited(tmp_path, before, "store", SC, REL) == after


def test_in_a_header_of_c_orders_are_those_of_c(tmp_path: Path) -> None:
    header = tmp_path / "flag.h"
    header.write_text("atomic_store(p, v);")
    site = Site(Place("", str(header), 1, 1), "store", written=SC)
    done = edit([(site, REL)], all_c=True)
    assert done.texts[header][1] == "atomic_store_explicit(p, v, memory_order_release);"


def test_a_patch_is_applied_where_a_name_has_spaces(tmp_path: Path) -> None:
    folder = tmp_path / "of mine"
    folder.mkdir()
    source = folder / "a queue.cpp"
    source.write_text("x.store(1);\n")
    done = edit([(Site(Place("", str(source), 1, 3), "store", written=SC), REL)])
    words = ["patch", "-p1", "-d", str(done.base)]
    subprocess.run(words, input=done.diff(), text=True, check=True, capture_output=True)
    assert source.read_text() == "x.store(1, std::memory_order_release);\n"
