# SPDX-License-Identifier: MIT
"""fencepost bench: what it measures, in which order, what it keeps and what it says. Programs that
stand in for benchmarks, so that no test depends on how fast anything is."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from scripted import ROOT, Run

STAND_IN = Path(__file__).with_name("benchmark_stand_in.py")
Behaviour = Mapping[str, float | str]
FOUR: Behaviour = {
    "increment/fencepost_event_count": 2.0,
    "increment/ck_ec32_many_producers": 4.0,
    "increment/fencepost_two_word_event_count": 3.0,
    "increment/release_store_and_load": 2.5,
}


def lines_of(path: Path, kind: str) -> list[dict[str, Any]]:
    read = [json.loads(line) for line in path.read_text().splitlines()]
    return [line for line in read if line["kind"] == kind]


@pytest.fixture
def built(tmp_path: Path) -> Callable[..., Path]:
    """Puts stand-ins for subjects into a build directory."""

    def build(**subjects: Behaviour) -> Path:
        for name, behaviour in subjects.items():
            # Each in a folder of its own, with what it is to do; the build has a script that calls.
            folder = tmp_path / "behaviours" / name
            folder.mkdir(parents=True)
            shutil.copy(STAND_IN, folder / name)
            (folder / "behaviour.json").write_text(json.dumps(behaviour))
            program = tmp_path / "build" / "bench" / "library" / name
            program.parent.mkdir(parents=True, exist_ok=True)
            program.write_text(f'#!/bin/sh\nexec {sys.executable} {folder / name} "$@"\n')
            program.chmod(0o755)
        return tmp_path

    return build


def bench(fencepost: Run, *words: str) -> Any:
    return fencepost("bench", "--build-dir", "build", "--others", "1000", *words)


def test_ratios_stand_beside_targets_and_every_window_is_kept(
    fencepost: Run, built: Callable[..., Path]
) -> None:
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


def interrupted(place: Path, *words: str) -> tuple[int, str, str]:
    """Of a run that is interrupted when a few windows are there."""
    process = subprocess.Popen(
        [ROOT / "fencepost", "bench", "--build-dir", "build", "--others", "1000", *words],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, stdin=subprocess.DEVNULL,
        cwd=place, env={**os.environ},
    )  # fmt: skip
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        if (place / "r.jsonl").exists() and len((place / "r.jsonl").read_text().split("\n")) > 10:
            break
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    out, errors = process.communicate(timeout=60)
    return process.returncode, out, errors


def orders_in(path: Path) -> list[tuple[int, str]]:
    return [(line["round"], line["variant"]) for line in lines_of(path, "window")]


def test_an_interrupted_run_prints_what_it_has_and_is_gone_on_with_as_if_it_had_not_been(
    fencepost: Run, built: Callable[..., Path]
) -> None:
    place = built(event_counts=FOUR)
    status, out, errors = interrupted(
        place, "event_counts", "--rounds", "9", "--seed", "7", "--into", "r.jsonl"
    )
    assert status == 130, errors
    assert "interrupted" in errors
    assert "met?" in out
    assert len(orders_in(place / "r.jsonl")) < 36
    done = bench(fencepost, "--resume", "r.jsonl")
    assert done.returncode == 0, done.stderr
    assert "36 windows kept" in done.stdout
    first, last = lines_of(place / "r.jsonl", "run")
    assert first["run"] == last["run"]
    assert len(last["resumed"]) == 1
    bench(fencepost, "event_counts", "--rounds", "9", "--seed", "7", "--into", "whole.jsonl")
    assert orders_in(place / "r.jsonl") == orders_in(place / "whole.jsonl")
    assert "36 windows kept" in fencepost("bench", "--report", "r.jsonl").stdout


def test_each_round_has_an_order_of_its_own_which_the_seed_decides(
    fencepost: Run, built: Callable[..., Path]
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


def test_windows_before_the_first_are_thrown_away(
    fencepost: Run, built: Callable[..., Path]
) -> None:
    place = built(event_counts={"w/a": 1.0})
    for warm_up, calls in ((0, 2), (1, 3), (3, 5)):
        (place / "behaviours" / "event_counts" / "calls.txt").unlink(missing_ok=True)
        bench(fencepost, "event_counts", "--rounds", "2", "--warm-up", str(warm_up), "--into", "r")
        called = (place / "behaviours" / "event_counts" / "calls.txt").read_text().splitlines()
        assert len(called) == calls
    assert len(orders_in(place / "r")) == 6


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("rings",), "subjects was event_counts there and is rings here"),
        (("--seed", "8"), "--seed was 7 there and is 8 here"),
        (("--only", "atomic"), "--only was not given there and is atomic here"),
    ],
)
def test_another_experiment_is_not_gone_on_with(
    words: tuple[str, ...], told: str, fencepost: Run, built: Callable[..., Path]
) -> None:
    built(event_counts=FOUR, rings={"bursts/a": 1.0})
    bench(fencepost, "event_counts", "--rounds", "1", "--seed", "7", "--into", "r.jsonl")
    done = bench(fencepost, "--resume", "r.jsonl", *words)
    assert done.returncode == 3
    assert told in done.stderr


@pytest.mark.parametrize(
    ("fact", "told"),
    [
        ("machine", "begun on another machine: machine was another and is"),
        ("kernel", "begun on another machine: kernel was another and is"),
        ("commit", "of another commit: commit was another and is"),
    ],
)
def test_another_machine_or_commit_does_not_go_on(
    fact: str, told: str, fencepost: Run, built: Callable[..., Path]
) -> None:
    place = built(event_counts=FOUR)
    bench(fencepost, "event_counts", "--rounds", "1", "--into", "r.jsonl")
    first, *rest = (place / "r.jsonl").read_text().splitlines()
    run = {**json.loads(first), fact: "another"}
    (place / "r.jsonl").write_text("\n".join([json.dumps(run), *rest]) + "\n")
    done = bench(fencepost, "--resume", "r.jsonl", "--rounds", "2")
    assert done.returncode == 3
    assert told in done.stderr


def test_a_program_that_has_changed_does_not_go_on(
    fencepost: Run, built: Callable[..., Path]
) -> None:
    place = built(event_counts=FOUR)
    bench(fencepost, "event_counts", "--rounds", "1", "--into", "r.jsonl")
    with (place / "build" / "bench" / "library" / "event_counts").open("a") as program:
        program.write("\n")
    done = bench(fencepost, "--resume", "r.jsonl", "--rounds", "2")
    assert done.returncode == 3
    assert "the program event_counts is another one than it was" in done.stderr


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "it is empty"),
        ("{}\n", "there is no 'kind'"),
        ('{"kind": "run", "schema": 2, "run": "r", "interleaved": true, "metrics": {}}\n',
         "it holds no run of 'fencepost bench'"),
    ],
)  # fmt: skip
def test_what_is_no_run_of_its_own_is_not_gone_on_with(
    text: str, told: str, fencepost: Run, tmp_path: Path
) -> None:
    (tmp_path / "r.jsonl").write_text(text)
    done = fencepost("bench", "--resume", "r.jsonl")
    assert done.returncode == 3
    assert told in done.stderr
    assert "there is no such file" in fencepost("bench", "--resume", "none.jsonl").stderr


def test_more_rounds_may_be_asked_for(fencepost: Run, built: Callable[..., Path]) -> None:
    place = built(event_counts=FOUR)
    bench(fencepost, "event_counts", "--rounds", "2", "--into", "r.jsonl")
    done = bench(fencepost, "--resume", "r.jsonl", "--rounds", "3")
    assert "12 windows kept" in done.stdout
    assert {number for number, _ in orders_in(place / "r.jsonl")} == {0, 1, 2}


def test_unknown_subjects_are_refused_with_the_nearest_name(fencepost: Run) -> None:
    done = fencepost("bench", "ring")
    assert done.returncode == 3
    assert "did you mean rings" in done.stderr


def test_where_nothing_is_built_it_says_what_to_do(fencepost: Run) -> None:
    done = bench(fencepost, "rings")
    assert done.returncode == 3
    assert "none of these benchmarks is built in build" in done.stderr


@pytest.mark.parametrize(
    ("what", "told"),
    [
        ("crash", "killed by SIGSEGV"),
        ("hang", "did not end in 1 s"),
        ("error", "no such thing here"),
        ("silent", "0 results instead of one"),
        ("garbled", "wrote no results"),
    ],
)
def test_a_benchmark_that_fails_is_named_and_the_others_go_on(
    what: str, told: str, fencepost: Run, built: Callable[..., Path]
) -> None:
    place = built(event_counts={"w/good": 2.0, "w/bad": what, "w/other": 1.0})
    done = bench(
        fencepost, "event_counts", "--rounds", "2", "--timeout", "1", "--into", "r.jsonl"
    )  # fmt: skip
    assert done.returncode == 1
    assert f"event_counts w/bad: {told}" in done.stderr
    kept = [line["variant"] for line in lines_of(place / "r.jsonl", "window")]
    assert sorted(kept) == ["good", "good", "other", "other"]
    (failure,) = lines_of(place / "r.jsonl", "failure")
    assert failure["variant"] == "bad"
    assert told in failure["message"]
    again = bench(fencepost, "--resume", "r.jsonl", "--rounds", "3")
    assert "1 benchmarks failed earlier and are left out" in again.stderr


def test_what_crashes_half_way_keeps_the_rounds_that_it_had(
    fencepost: Run, built: Callable[..., Path]
) -> None:
    place = built(event_counts={"w/good": 2.0, "w/bad": "crash after 3"})
    done = bench(fencepost, "event_counts", "--rounds", "5", "--warm-up", "0", "--into", "r.jsonl")
    assert done.returncode == 1
    assert [v for _, v in orders_in(place / "r.jsonl")].count("bad") == 3
    assert [v for _, v in orders_in(place / "r.jsonl")].count("good") == 5


def test_a_full_disk_ends_it_with_what_was_measured(
    fencepost: Run, built: Callable[..., Path]
) -> None:
    built(event_counts=FOUR)
    done = bench(fencepost, "event_counts", "--rounds", "2", "--into", "/dev/full")
    assert done.returncode == 1
    assert "/dev/full: No space left on device" in done.stderr
    assert "Traceback" not in done.stderr and "Exception" not in done.stderr


def test_a_file_that_may_not_grow_keeps_what_fitted(built: Callable[..., Path]) -> None:
    place = built(event_counts=FOUR)
    done = subprocess.run(
        ["/bin/bash", "-c", 'ulimit -f 6; exec "$0" "$@"', ROOT / "fencepost", "bench", "--others",
         "1000", "--build-dir", "build", "event_counts", "--rounds", "50", "--into", "r.jsonl"],
        cwd=place, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    assert done.returncode == 1
    assert "r.jsonl: File too large" in done.stderr
    assert "met?" in done.stdout
    assert "Traceback" not in done.stderr
    kept = fencepost_report(place)
    assert "windows kept" in kept


def fencepost_report(place: Path) -> str:
    return subprocess.run(
        [ROOT / "fencepost", "bench", "--report", "r.jsonl"],
        cwd=place, capture_output=True, text=True, check=True, stdin=subprocess.DEVNULL,
    ).stdout  # fmt: skip


def test_without_permission_to_pin_it_says_so_in_words(
    fencepost: Run, built: Callable[..., Path]
) -> None:
    place = built(event_counts={"w/a": 1.0, "pinned": "no"})
    done = bench(fencepost, "event_counts", "--rounds", "1", "--into", "r.jsonl")
    assert done.returncode == 0
    assert "threads could not be pinned to processors" in done.stderr
    assert lines_of(place / "r.jsonl", "run")[0]["pinned"] == "no"


def test_processors_that_are_not_there_are_refused(
    fencepost: Run, built: Callable[..., Path]
) -> None:
    built(event_counts=FOUR)
    done = bench(fencepost, "event_counts", "--cpu", "4000")
    assert done.returncode == 3
    assert "processors that may be used are" in done.stderr


def test_unknown_variants_and_patterns_are_refused_with_the_nearest_names(
    fencepost: Run, built: Callable[..., Path]
) -> None:
    built(event_counts=FOUR)
    done = bench(fencepost, "event_counts", "--variants", "fencepost_event_cout")
    assert done.returncode == 3
    assert "there is no variant 'fencepost_event_cout'; did you mean fencepost_event_count" in (
        done.stderr
    )
    done = bench(fencepost, "event_counts", "--only", "increment/fencepost_evnt_count$")
    assert "did you mean event_counts/increment/fencepost_event_count" in done.stderr


def test_variants_and_patterns_choose(fencepost: Run, built: Callable[..., Path]) -> None:
    place = built(event_counts=FOUR)
    bench(fencepost, "event_counts", "--rounds", "1", "--into", "a",
          "--variants", "fencepost_event_count,release_store_and_load")  # fmt: skip
    assert {v for _, v in orders_in(place / "a")} == {
        "fencepost_event_count", "release_store_and_load"
    }  # fmt: skip
    bench(fencepost, "event_counts", "--rounds", "1", "--into", "b", "--only", "increment/ck_")
    assert {v for _, v in orders_in(place / "b")} == {"ck_ec32_many_producers"}


def test_results_go_into_a_database_too(fencepost: Run, built: Callable[..., Path]) -> None:
    place = built(event_counts=FOUR)
    done = bench(fencepost, "event_counts", "--rounds", "2", "--into", "r.db")
    assert "added to r.db: 1 runs, 8 windows" in done.stdout
    told = fencepost("results", "r.db").stdout
    assert "fencepost_event_count: 2 rounds" in told
    # The lines are beside it, and a run that goes on adds what is new.
    lines = place / "r.db.jsonl"
    done = bench(fencepost, "--resume", str(lines), "--rounds", "3", "--into", "r.db")
    assert "added to r.db: 0 runs, 4 windows" in done.stdout


def test_quick_is_a_first_impression_and_says_so(
    fencepost: Run, built: Callable[..., Path]
) -> None:
    subjects = {"event_counts": {**FOUR, "increment/load_release_store_and_load": 1.0},
                "rings": {"bursts/rtrb": 5.0, "bursts/ringbuf": 4.0}}  # fmt: skip
    place = built(**subjects)
    done = bench(fencepost, "quick", "--into", "r.jsonl")
    assert done.returncode == 0, done.stderr
    assert "first impression" in done.stdout
    assert "met?" not in done.stdout
    found = orders_in(place / "r.jsonl")
    assert {v for _, v in found} == {
        "fencepost_event_count", "ck_ec32_many_producers", "fencepost_two_word_event_count", "rtrb"
    }  # fmt: skip
    assert max(n for n, _ in found) == 6
    assert all(
        w["figures"]["process_cpu_seconds"] > 0 for w in lines_of(place / "r.jsonl", "window")
    )
    alone = bench(fencepost, "quick", "rings", "--into", "alone.jsonl")
    assert "first impression" in alone.stdout
    assert {v for _, v in orders_in(place / "alone.jsonl")} == {"rtrb"}


def test_windows_that_others_disturb_are_repeated_and_counted(
    fencepost: Run, built: Callable[..., Path]
) -> None:
    place = built(event_counts={"w/calm": 1.0, "w/disturbed": "preempted"})
    done = fencepost("bench", "--build-dir", "build", "event_counts", "--rounds", "1",
                     "--into", "r.jsonl")  # fmt: skip
    assert done.returncode == 1
    assert "w/disturbed: round 0: disturbed 10 times" in done.stderr
    assert "1 windows kept, 10 discarded and repeated" in done.stdout
    kept = [w["kept"] for w in lines_of(place / "r.jsonl", "window") if w["variant"] != "calm"]
    assert kept == [False] * 10


# ---------------------------------------------------------------------------- of one's own


OWN = {"BM_lock<mutex>/threads:2/real_time": 5.0, "BM_lock<spin>/threads:2/real_time": 4.0,
       "BM_copy/4096": 3.0}  # fmt: skip


@pytest.fixture
def own(built: Callable[..., Path]) -> str:
    return str(built(mine=OWN) / "build" / "bench" / "library" / "mine")


def test_a_program_of_ones_own_is_measured_with_the_same_care(
    own: str, fencepost: Run, tmp_path: Path
) -> None:
    done = fencepost("bench", "--others", "1000", "--program", own, "--rounds", "3",
                     "--into", "r.jsonl")  # fmt: skip
    assert done.returncode == 0, done.stderr
    (run,) = lines_of(tmp_path / "r.jsonl", "run")
    assert run["interleaved"]
    assert run["metrics"]["mine"][0] == {"figure": "real_time", "unit": "ns", "better": "lower"}
    places = {(w["work"], w["variant"]) for w in lines_of(tmp_path / "r.jsonl", "window")}
    assert places == {
        ("threads:2", "BM_lock<mutex>"), ("threads:2", "BM_lock<spin>"), ("4096", "BM_copy")
    }  # fmt: skip
    assert "| threads 2 | BM lock<mutex> | 5 ns" in done.stdout
    answer = fencepost("compare", "BM_lock<mutex>", "BM_lock<spin>", "--results", "r.jsonl")
    assert answer.returncode in (0, 2, 3)
    more = fencepost("bench", "--resume", "r.jsonl", "--rounds", "4")
    assert "12 windows kept" in more.stdout


def test_what_is_no_program_of_google_benchmarks_is_refused(fencepost: Run, tmp_path: Path) -> None:
    assert "there is no such file" in fencepost("bench", "--program", "none").stderr
    (tmp_path / "text").write_text("text")
    assert "not executable" in fencepost("bench", "--program", "text").stderr
    done = fencepost("bench", "--program", "/bin/false")
    assert done.returncode == 3
    assert "is it one of Google Benchmark's?" in done.stderr
    assert "has no benchmarks" in fencepost("bench", "--program", "/bin/true").stderr
    both = fencepost("bench", "rings", "--program", "/bin/true")
    assert "no subject besides" in both.stderr


# ---------------------------------------------------------------------------- besides


def test_results_of_another_schema_are_refused(fencepost: Run, tmp_path: Path) -> None:
    (tmp_path / "old.jsonl").write_text('{"kind": "run", "schema": 999}\n')
    done = fencepost("bench", "--report", "old.jsonl")
    assert done.returncode != 0
    assert "schema 999" in done.stderr


def test_the_list_says_what_each_subject_answers_and_whether_it_is_built(
    fencepost: Run, built: Callable[..., Path]
) -> None:
    built(event_counts=FOUR)
    listed = bench(fencepost, "--list").stdout.splitlines()
    (ours,) = (line for line in listed if line.startswith("event_counts"))
    assert "what does an increment cost" in ours and "not built" not in ours
    assert all("not built" in line for line in listed if line.startswith("rings"))


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
