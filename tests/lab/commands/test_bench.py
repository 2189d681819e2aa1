# SPDX-License-Identifier: MIT
"""fencepost bench: what it measures, in which order, what it keeps and what it says. Programs that
stand in for benchmarks, so that no test depends on how fast anything is."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from benchmarks_built import FOUR, Built, bench, lines_of, orders_in
from scripted import Run

pytestmark = pytest.mark.matrix(3)


def test_ratios_stand_beside_targets_and_every_window_is_kept(fencepost: Run, built: Built) -> None:
    place = built(event_counts=FOUR)
    done = bench(fencepost, "event_counts", "--rounds", "3", "--into", "r.jsonl")
    assert done.returncode == 0, done.stderr
    assert "0.5 × [0.5, 0.5]" in done.stdout
    assert "met?" in done.stdout
    (described,) = lines_of(place / "r.jsonl", "run")
    for key in ("machine", "kernel", "compiler", "flags", "commit", "load", "processors"):
        assert key in described
    rounds: dict[str, list[int]] = {}
    windows = lines_of(place / "r.jsonl", "window")
    for window in windows:
        rounds.setdefault(window["variant"], []).append(window["round"])
    assert len(rounds) == 4
    assert all(numbers == [0, 1, 2] for numbers in rounds.values())
    # Interleaved: each variant once before any comes twice.
    assert len({window["variant"] for window in windows[:4]}) == 4
    again = fencepost("bench", "--report", "r.jsonl")
    assert again.stdout in done.stdout


def test_each_round_has_an_order_of_its_own_which_the_seed_decides(
    fencepost: Run, built: Built
) -> None:
    place = built(event_counts=FOUR)
    for name, seed in (("a", "1"), ("b", "1"), ("c", "2")):
        bench(fencepost, "event_counts", "--rounds", "6", "--seed", seed, "--into", name)
    orders = orders_in(place / "a")
    assert orders == orders_in(place / "b")
    assert orders != orders_in(place / "c")
    rounds = {tuple(v for n, v in orders if n == number) for number in range(6)}
    assert len(rounds) > 1
    assert lines_of(place / "a", "run")[0]["experiment"]["seed"] == 1


def test_windows_before_the_first_are_thrown_away(fencepost: Run, built: Built) -> None:
    place = built(event_counts={"w/a": 1.0})
    for warm_up, calls in ((0, 2), (1, 3), (3, 5)):
        (place / "behaviours" / "event_counts" / "calls.txt").unlink(missing_ok=True)
        bench(fencepost, "event_counts", "--rounds", "2", "--warm-up", str(warm_up), "--into", "r")
        called = (place / "behaviours" / "event_counts" / "calls.txt").read_text().splitlines()
        assert len(called) == calls
    assert len(orders_in(place / "r")) == 6


def test_variants_and_patterns_choose(fencepost: Run, built: Built) -> None:
    place = built(event_counts=FOUR)
    bench(
        fencepost,
        "event_counts",
        "--rounds",
        "1",
        "--into",
        "a",
        "--variants",
        "fencepost_event_count,release_store_and_load",
    )
    assert {v for _, v in orders_in(place / "a")} == {
        "fencepost_event_count",
        "release_store_and_load",
    }
    bench(fencepost, "event_counts", "--rounds", "1", "--into", "b", "--only", "increment/ck_")
    assert {v for _, v in orders_in(place / "b")} == {"ck_ec32_many_producers"}


def test_results_go_into_a_database_too(fencepost: Run, built: Built) -> None:
    place = built(event_counts=FOUR)
    done = bench(fencepost, "event_counts", "--rounds", "2", "--into", "r.db")
    assert "added to r.db: 1 runs, 8 windows" in done.stdout
    told = fencepost("results", "r.db").stdout
    assert "fencepost_event_count: 2 rounds" in told
    # The lines are beside it, and a run that goes on adds what is new.
    lines = place / "r.db.jsonl"
    done = bench(fencepost, "--resume", str(lines), "--rounds", "3", "--into", "r.db")
    assert "added to r.db: 0 runs, 4 windows" in done.stdout


def test_quick_is_a_first_impression_and_says_so(fencepost: Run, built: Built) -> None:
    subjects = {
        "event_counts": {**FOUR, "increment/load_release_store_and_load": 1.0},
        "rings": {"bursts/rtrb": 5.0, "bursts/ringbuf": 4.0},
    }
    place = built(**subjects)
    done = bench(fencepost, "quick", "--into", "r.jsonl")
    assert done.returncode == 0, done.stderr
    assert "first impression" in done.stdout
    assert "met?" not in done.stdout
    found = orders_in(place / "r.jsonl")
    assert {v for _, v in found} == {
        "fencepost_event_count",
        "ck_ec32_many_producers",
        "fencepost_two_word_event_count",
        "rtrb",
    }
    assert max(n for n, _ in found) == 6
    assert all(
        w["figures"]["process_cpu_seconds"] > 0 for w in lines_of(place / "r.jsonl", "window")
    )
    alone = bench(fencepost, "quick", "rings", "--into", "alone.jsonl")
    assert "first impression" in alone.stdout
    assert {v for _, v in orders_in(place / "alone.jsonl")} == {"rtrb"}


# ---------------------------------------------------------------------------- of one's own


OWN = {
    "BM_lock<mutex>/threads:2/real_time": 5.0,
    "BM_lock<spin>/threads:2/real_time": 4.0,
    "BM_copy/4096": 3.0,
}


@pytest.fixture
def own(built: Built) -> str:
    return str(built(mine=OWN) / "build" / "bench" / "library" / "mine")


def test_a_program_of_ones_own_is_measured_with_the_same_care(
    own: str, fencepost: Run, tmp_path: Path
) -> None:
    done = fencepost(
        "bench", "--others", "1000", "--program", own, "--rounds", "3", "--into", "r.jsonl"
    )
    assert done.returncode == 0, done.stderr
    (run,) = lines_of(tmp_path / "r.jsonl", "run")
    assert run["interleaved"]
    assert run["metrics"]["mine"][0] == {"figure": "real_time", "unit": "ns", "better": "lower"}
    places = {(w["work"], w["variant"]) for w in lines_of(tmp_path / "r.jsonl", "window")}
    assert places == {
        ("threads:2", "BM_lock<mutex>"),
        ("threads:2", "BM_lock<spin>"),
        ("4096", "BM_copy"),
    }
    assert "| threads 2 | BM lock<mutex> | 5 ns" in done.stdout
    answer = fencepost("compare", "BM_lock<mutex>", "BM_lock<spin>", "--results", "r.jsonl")
    assert answer.returncode in (0, 2, 3)
    more = fencepost("bench", "--resume", "r.jsonl", "--rounds", "4")
    assert "12 windows kept" in more.stdout


# ---------------------------------------------------------------------------- besides


def test_the_list_says_what_each_subject_answers_and_whether_it_is_built(
    fencepost: Run, built: Built
) -> None:
    built(event_counts=FOUR)
    listed = bench(fencepost, "--list").stdout.splitlines()
    (ours,) = (line for line in listed if line.startswith("event_counts"))
    assert "what does an increment cost" in ours and "not built" not in ours
    assert all("not built" in line for line in listed if line.startswith("rings"))


REAL = """
#include <benchmark/benchmark.h>
static void counting(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(state.iterations());
  state.counters["counted"] = 42;
}
BENCHMARK(counting)->Arg(8)->Arg(64)->Threads(2)->UseRealTime()->Unit(benchmark::kMicrosecond);
static void failing(benchmark::State& state) { state.SkipWithError("no such device"); }
BENCHMARK(failing);
BENCHMARK_MAIN();
"""


def test_a_real_program_of_google_benchmarks_is_measured(fencepost: Run, tmp_path: Path) -> None:
    if not Path("/usr/include/benchmark/benchmark.h").exists():
        pytest.skip("libbenchmark-dev is not installed")
    (tmp_path / "real.cpp").write_text(REAL)
    subprocess.run(
        ["g++", "-O1", "real.cpp", "-o", "real", "-lbenchmark", "-lpthread"],
        cwd=tmp_path,
        check=True,
    )
    done = fencepost(
        "bench", "--program", "./real", "--rounds", "2", "--seconds", "0.005", "--others", "1000"
    )
    assert done.returncode == 1
    assert "real failing: no such device" in done.stderr
    windows = lines_of(tmp_path / "real.jsonl", "window")
    places = {(w["work"], w["variant"]) for w in windows}
    assert places == {("8/threads:2", "counting"), ("64/threads:2", "counting")}
    for window in windows:
        assert window["figures"]["counted"] == 84  # of two threads
        assert 0 < window["figures"]["real_time"] < 1e9
    (run,) = lines_of(tmp_path / "real.jsonl", "run")
    assert run["metrics"]["real"][0]["figure"] == "real_time"


# ---------------------------------------------------------------------------- by themselves


def test_what_measures_by_itself_is_handed_over_to(fencepost: Run) -> None:
    done = fencepost("bench", "latency", "--list", "--only", "alone/full")
    assert done.returncode == 0, done.stderr
    assert done.stdout == "alone/full_fences\n"
    assert "--documents" in fencepost("bench", "atomics", "--", "--help").stdout
    listed = fencepost("bench", "--list").stdout
    assert "litmus: what do the heavy fences order" in listed


def test_it_is_not_mixed_with_others_and_says_what_it_does_not_take(fencepost: Run) -> None:
    assert "measured by itself" in fencepost("bench", "atomics", "rings").stderr
    assert "latency does not take --variants" in (
        fencepost("bench", "latency", "--variants", "ticket").stderr
    )
    assert "what follows -- is for" in fencepost("bench", "rings", "--", "--quick").stderr
