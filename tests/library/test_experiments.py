# SPDX-License-Identifier: MIT
"""The experiments of the argument's time, made anew: each lists the variants it should, and a short
window of each kind yields figures that can be. No test asks how fast anything is."""

from __future__ import annotations

import functools
import importlib.util
import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from fencepost.commands.bench import find_program
from fencepost.measure.window import Variant, list_variants

pytestmark = [pytest.mark.crowd, pytest.mark.matrix(4)]

ROOT = Path(__file__).resolve().parents[2]
TRY_LOCKS = {"test_and_set", "compare_exchange_seq_cst", "compare_exchange_acquire"}


@functools.cache
def program(name: str) -> Path:
    candidates = [
        os.environ.get("FENCEPOST_BENCH_DIR"),
        "build/bench",
        os.environ.get("FENCEPOST_BUILD_DIR"),
        "build/release",
    ]
    for candidate in candidates:
        found = find_program(ROOT / candidate, name) if candidate else None
        if found:
            return found
    pytest.skip(f"{name} is not built: make bench, or -DFENCEPOST_BENCH=ON")


def variants(name: str) -> list[Variant]:
    return list_variants(name, program(name))


def windows(name: str, pattern: str, tmp_path: Path) -> dict[str, dict[str, Any]]:
    """Each benchmark that matches, by its name: one window, so short that a thread may get no turn
    in it where much else runs. The next is longer then."""
    for seconds in (0.01, 0.1, 1, 10):
        rows = windows_of(seconds, name, pattern, tmp_path)
        if all(row.get("fastest", 1) > 0 for row in rows.values()):
            break
    return rows


def windows_of(
    seconds: float, name: str, pattern: str, tmp_path: Path
) -> dict[str, dict[str, Any]]:
    out = tmp_path / "out.json"
    done = subprocess.run(
        [
            program(name),
            f"--benchmark_filter={pattern}",
            f"--benchmark_min_time={seconds}",
            f"--benchmark_out={out}",
            "--benchmark_out_format=json",
        ],
        capture_output=True,
        text=True,
        timeout=300,
        stdin=subprocess.DEVNULL,
        check=False,
    )
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
    named = {id if not any(kinds) else f"{id}_unsound" for id, kinds in verdicts().items()}
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
        assert ("first_processor_only" in row) == (threads == 1)
        if threads == 1:
            assert row["sleeps"] == 0
            assert row["fairness"] == 1
        if "_unsound" not in name:
            assert row["lost_wake_ups"] == 0


def test_every_try_lock_is_measured_bare_and_in_a_mutex_from_1_to_128_threads() -> None:
    works = [
        f"{kind}/threads:{threads}"
        for kind in ("bare", "event_mutex")
        for threads in (1, 2, 4, 8, 16, 32, 64, 128)
    ]
    found = [(one.work, one.variant) for one in variants("try_locks")]
    assert sorted(found) == sorted((work, one) for work in works for one in TRY_LOCKS)


@pytest.mark.parametrize("threads", [1, 32])
def test_try_locks_yield_sections_and_tries_in_vain(threads: int, tmp_path: Path) -> None:
    for name, row in windows("try_locks", f"threads:{threads}/", tmp_path).items():
        assert_shared_and_used(row)
        assert ("failed_tries_per_section" in row) == name.startswith("bare/")
        if name.startswith("bare/") and threads == 1:
            assert row["failed_tries_per_section"] == 0


def flag_sets(name: str) -> set[str]:
    """How what is compiled several times was compiled: the last words of the variants."""
    context = subprocess.run(
        [program(name), "--benchmark_format=json", "--benchmark_filter=nothing_"],
        capture_output=True,
        text=True,
        check=True,
        stdin=subprocess.DEVNULL,
    ).stdout
    flags = {key[6:] for key in json.loads(context)["context"] if key.startswith("flags ")}
    assert "baseline" in flags or "armv8_0" in flags
    return flags


def test_every_single_operation_is_measured_as_compiled_with_each_set_of_flags(
    tmp_path: Path,
) -> None:
    operations = {
        "nothing",
        *(f"load_{order}" for order in ("relaxed", "acquire", "seq_cst")),
        *(f"store_{order}" for order in ("relaxed", "release", "seq_cst")),
        *(f"exchange_{order}" for order in ("relaxed", "acq_rel", "seq_cst")),
        *(f"fetch_add_{order}" for order in ("relaxed", "seq_cst")),
        *(f"fence_{order}" for order in ("acquire", "release", "acq_rel", "seq_cst")),
        *(
            f"compare_exchange_{end}_{order}"
            for end in ("succeeding", "failing")
            for order in ("acquire", "seq_cst")
        ),
    }
    found = {one.variant for one in variants("single_operations")}
    assert found == {
        f"{one}_{flags}" for one in operations for flags in flag_sets("single_operations")
    }
    for row in windows("single_operations", ".", tmp_path).values():
        assert row["cpu_time"] > 0
        assert row.get("reference_cycles", 1) > 0


def test_every_lock_takes_turns_at_the_crc_from_1_to_128_threads() -> None:
    found = [(one.work, one.variant) for one in variants("crc32_spin")]
    works = {f"crc32_16KiB/threads:{threads}" for threads in (1, 2, 4, 8, 16, 32, 64, 128)}
    assert {work for work, _ in found} == works
    locks = {variant for _, variant in found}
    assert len(found) == len(works) * len(locks)
    assert locks > {
        "fencepost_spin_mutex",
        "fencepost_futex_mutex",
        "fencepost_mutex",
        "fencepost_event_mutex_exchange",
        "pthread_spinlock",
        "pthread_mutex",
        "nothing_shared",
    }
    assert any(lock.startswith("spin_compare_exchange_") for lock in locks)


@pytest.mark.parametrize("threads", [1, 4])
def test_each_thread_takes_as_many_turns_at_the_crc(threads: int, tmp_path: Path) -> None:
    for row in windows("crc32_spin", f"threads:{threads}/", tmp_path).values():
        assert_shared_and_used(row)
        # When the first one had ended, it had done all of its rounds: two at the least.
        assert row["fastest"] >= 2


@pytest.mark.parametrize(
    "flags", ["armv8-a -mno-outline-atomics", "armv8-a -moutline-atomics", "armv8.1-a"]
)
def test_what_is_compiled_for_flag_sets_runs_on_aarch64_with_each_of_them(
    flags: str, tmp_path: Path
) -> None:
    compiler, emulator = shutil.which("aarch64-linux-gnu-g++"), shutil.which("qemu-aarch64")
    if compiler is None or emulator is None:
        pytest.skip("the cross compiler and qemu-user are not installed")
    bench = ROOT / "bench" / "library"
    main = tmp_path / "main.cpp"
    main.write_text(RUN_ONCE)
    subprocess.run(
        [
            compiler,
            "-std=c++20",
            "-O2",
            f"-march={flags.split()[0]}",
            *flags.split()[1:],
            "-static",
            "-pthread",
            "-DFLAGS_NAME=here",
            "-I",
            bench,
            "-I",
            ROOT / "include",
            main,
            bench / "flag_sets" / "operation_loops.cpp",
            bench / "flag_sets" / "crc32_lock.cpp",
            "-o",
            tmp_path / "run",
        ],
        check=True,
        capture_output=True,
        text=True,
    )
    done = subprocess.run(
        [ROOT / "scripts" / "emulate.sh", emulator, tmp_path / "run"],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout
    assert "here: 20 operations, 400 sections" in done.stdout


#: Each operation's loop once, and the lock between four threads. Says which operation is wrong.
RUN_ONCE = """
#include <cstdio>
#include <cstring>
#include <thread>
#include <vector>
#include "flag_sets/crc32_lock.hpp"
#include "flag_sets/crc32_section.hpp"
#include "flag_sets/operation_loops.hpp"

extern const bench::operation_loops operations_here;
extern const bench::spin_functions spin_here;

int main() {
  int operations = 0;
  for (const auto* one = operations_here.loops; one->name != nullptr; ++one, ++operations) {
    bench::loop_word word{0};
    one->run(word, 1000);
    if (word.load() == (one->counts ? 1000u : 0u)) continue;
    std::printf("wrong: %s\\n", one->name);
    return 1;
  }
  std::atomic<bool> taken{false};
  const bench::crc32_block block;
  const auto right = bench::crc32(block.bytes);
  int sections = 0;
  std::vector<std::thread> threads;
  for (int n = 0; n != 4; ++n)
    threads.emplace_back([&] {
      for (int round = 0; round != 100; ++round) {
        spin_here.lock(taken);
        if (bench::crc32(block.bytes) == right) ++sections;
        spin_here.unlock(taken);
      }
    });
  for (auto& one : threads) one.join();
  std::printf("%s: %d operations, %d sections\\n", operations_here.flags, operations, sections);
}
"""


def test_waking_a_sleeper_tells_what_the_call_costs_that_wakes(tmp_path: Path) -> None:
    for row in windows("sleep_and_wake", "wake_sleeper/fencepost_event_count", tmp_path).values():
        assert row["signal_ns"] > 0
        assert row.get("signal_reference_cycles", 1) > 0


@pytest.mark.parametrize(
    ("name", "pattern"),
    [("locks_contended", "threads:8/fencepost"), ("hash_maps", "threads:2/fencepost")],
)
def test_the_library_beside_its_peers_tells_the_same_of_sharing_and_of_what_was_used(
    name: str, pattern: str, tmp_path: Path
) -> None:
    for row in windows(name, pattern, tmp_path).values():
        assert_shared_and_used(row)
