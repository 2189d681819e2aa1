# SPDX-License-Identifier: MIT
"""The experiments of the argument's time, made anew: each lists the variants it should, and a short
window of each kind yields figures that can be. No test asks how fast anything is."""

from __future__ import annotations

import functools
import importlib.util
import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from fencepost.bench import find_program
from fencepost.bench_window import Variant, list_variants

ROOT = Path(__file__).resolve().parents[2]
TRY_LOCKS = {"test_and_set", "compare_exchange_seq_cst", "compare_exchange_acquire"}


@functools.cache
def program(name: str) -> Path:
    candidates = [os.environ.get("FENCEPOST_BENCH_DIR"), "build/bench",
                  os.environ.get("FENCEPOST_BUILD_DIR"), "build/release"]  # fmt: skip
    for candidate in candidates:
        found = find_program(ROOT / candidate, name) if candidate else None
        if found:
            return found
    pytest.skip(f"{name} is not built: make bench, or -DFENCEPOST_BENCH=ON")


def variants(name: str) -> list[Variant]:
    return list_variants(name, program(name))


def windows(name: str, pattern: str, tmp_path: Path) -> dict[str, dict[str, Any]]:
    """Each benchmark that matches, by its name: one short window."""
    out = tmp_path / "out.json"
    done = subprocess.run(
        [program(name), f"--benchmark_filter={pattern}", "--benchmark_min_time=0.01",
         f"--benchmark_out={out}", "--benchmark_out_format=json"],
        capture_output=True, text=True, timeout=300, stdin=subprocess.DEVNULL, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    report = json.loads(out.read_text())
    assert report["context"]["perf"].startswith(("available", "not available: "))
    rows = {row["name"]: row for row in report["benchmarks"]}
    assert rows
    assert not any(row.get("error_occurred") for row in rows.values())
    return rows


def assert_shared_and_used(row: dict[str, Any]) -> None:
    """The counters that every window of several threads has, of work that was done."""
    assert 0 <= row["slowest"] <= row["fastest"]
    assert row["fastest"] > 0
    assert row["fairness"] == pytest.approx(row["slowest"] / row["fastest"], rel=1e-4)
    assert row["cpu_seconds"] > 0
    assert row["cpu_ns_each"] > 0
    assert row["voluntary_switches"] >= 0
    assert row["involuntary_switches"] >= 0


def verdicts() -> dict[str, tuple[str, ...]]:
    """By protocol what the checker says of it; nothing where it holds under every model."""
    spec = importlib.util.spec_from_file_location(
        "study_verdicts", ROOT / "tests" / "study" / "test_verdicts.py"
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return dict(module.EXPECTED)


def test_every_protocol_is_measured_with_each_number_of_threads_and_named_for_what_it_is() -> None:
    named = {
        id if not any(kinds) else f"{id}_unsound" for id, kinds in verdicts().items()
    }  # fmt: skip
    works = [f"four_mutexes/threads:{threads}" for threads in (1, 2, 4, 8, 16, 32, 64)]
    found = [(one.work, one.variant) for one in variants("event_mutexes")]
    assert sorted(found) == sorted((work, variant) for work in works for variant in named)


@pytest.mark.parametrize("threads", [1, 8])
def test_protocols_that_lose_wake_ups_end_their_windows_as_those_do_that_lose_none(
    threads: int, tmp_path: Path
) -> None:
    rows = windows("event_mutexes", f"threads:{threads}/", tmp_path)
    assert len(rows) == len(verdicts())
    for name, row in rows.items():
        assert_shared_and_used(row)
        # Of four mutexes in turns, all counted: the program itself compares them with the threads'.
        assert row["slowest"] % 4 == 0
        assert row["sleeps"] >= row["lost_wake_ups"] >= 0
        if threads == 1:
            assert row["sleeps"] == 0
            assert row["fairness"] == 1
        if "_unsound" not in name:
            assert row["lost_wake_ups"] == 0


def test_every_try_lock_is_measured_bare_and_in_a_mutex_from_1_to_128_threads() -> None:
    works = [f"{kind}/threads:{threads}" for kind in ("bare", "event_mutex")
             for threads in (1, 2, 4, 8, 16, 32, 64, 128)]  # fmt: skip
    found = [(one.work, one.variant) for one in variants("try_locks")]
    assert sorted(found) == sorted((work, one) for work in works for one in TRY_LOCKS)


@pytest.mark.parametrize("threads", [1, 32])
def test_try_locks_yield_sections_and_tries_in_vain(threads: int, tmp_path: Path) -> None:
    for name, row in windows("try_locks", f"threads:{threads}/", tmp_path).items():
        assert_shared_and_used(row)
        assert ("failed_tries_per_section" in row) == name.startswith("bare/")
        if name.startswith("bare/") and threads == 1:
            assert row["failed_tries_per_section"] == 0


@pytest.mark.parametrize(
    ("name", "pattern"),
    [("locks_contended", "threads:8/fencepost"), ("hash_maps", "threads:2/fencepost")],
)
def test_the_library_beside_its_peers_tells_the_same_of_sharing_and_of_what_was_used(
    name: str, pattern: str, tmp_path: Path
) -> None:
    for row in windows(name, pattern, tmp_path).values():
        assert_shared_and_used(row)
