# SPDX-License-Identifier: MIT
"""Programs of others, and tests of this tree's library, by a compiler that makes every atomic
operation a call, whatever its size: each becomes a test of the runtime."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from runtimes import PROGRAMS, ROOT, SHIPPED, sh

COMMAND = ("g++", "-std=c++20", "-O1", "-fno-inline-atomics", "-pthread", "-I", ROOT / "include")


def linked(folder: Path, sources: list[Path], *libraries: str) -> tuple[Path, set[str]]:
    """The program, and the functions that it calls of the runtime."""
    objects = [folder / f"{source.stem}.o" for source in sources]
    for source, compiled in zip(sources, objects, strict=True):
        sh(*COMMAND, "-c", source, "-o", compiled)
    called = set(re.findall(r" U (__atomic_\w+)", sh("nm", *objects)))
    program = folder / "program"
    sh("g++", "-pthread", *objects, "-o", program, SHIPPED.archive(), *libraries)
    return program, called


@pytest.mark.parametrize("source", ["boost_lockfree.cpp", "concurrent_queues.cpp"])
def test_containers_of_others_keep_what_they_get(source: str, tmp_path: Path) -> None:
    header = {"boost_lockfree.cpp": "boost/lockfree", "concurrent_queues.cpp": "concurrentqueue"}
    if not (Path("/usr/include") / header[source]).exists():
        pytest.skip(f"not installed: {header[source]}")
    program, called = linked(tmp_path, [PROGRAMS / source])
    assert {"__atomic_load_8", "__atomic_compare_exchange_8"} <= called
    sh(program)


def test_the_standard_library_counts_right(tmp_path: Path) -> None:
    program, called = linked(tmp_path, [PROGRAMS / "shared_pointers.cpp"])
    assert {"__atomic_fetch_add_4", "__atomic_load_8", "__atomic_compare_exchange_4"} <= called
    sh(program)


def test_the_rings_of_this_library_pass_their_tests(tmp_path: Path) -> None:
    tests = ROOT / "tests" / "library" / "events"
    sources = [tests / name for name in ("mpmc_ring_test.cpp", "spsc_ring_test.cpp")]
    program, called = linked(tmp_path, sources, "-lgtest_main", "-lgtest")
    assert {"__atomic_fetch_add_4", "__atomic_store_8", "__atomic_load_4"} <= called
    assert "[  PASSED  ]" in sh(program)
