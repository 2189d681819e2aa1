# SPDX-License-Identifier: MIT
"""fencepost bench, when something goes wrong: bad input, benchmarks that fail, full disks. What was
measured is kept."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from benchmarks_built import FOUR, Built, bench, lines_of, orders_in
from scripted import ROOT, Run


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
    what: str, told: str, fencepost: Run, built: Built
) -> None:
    place = built(event_counts={"w/good": 2.0, "w/bad": what, "w/other": 1.0})
    done = bench(fencepost, "event_counts", "--rounds", "2", "--timeout", "1", "--into", "r.jsonl")
    assert done.returncode == 1
    assert f"event_counts w/bad: {told}" in done.stderr
    kept = [line["variant"] for line in lines_of(place / "r.jsonl", "window")]
    assert sorted(kept) == ["good", "good", "other", "other"]
    (failure,) = lines_of(place / "r.jsonl", "failure")
    assert failure["variant"] == "bad"
    assert told in failure["message"]
    again = bench(fencepost, "--resume", "r.jsonl", "--rounds", "3")
    assert "1 benchmarks failed earlier and are left out" in again.stderr


def test_what_crashes_half_way_keeps_the_rounds_that_it_had(fencepost: Run, built: Built) -> None:
    place = built(event_counts={"w/good": 2.0, "w/bad": "crash after 3"})
    done = bench(fencepost, "event_counts", "--rounds", "5", "--warm-up", "0", "--into", "r.jsonl")
    assert done.returncode == 1
    assert [v for _, v in orders_in(place / "r.jsonl")].count("bad") == 3
    assert [v for _, v in orders_in(place / "r.jsonl")].count("good") == 5


def test_a_full_disk_ends_it_with_what_was_measured(fencepost: Run, built: Built) -> None:
    built(event_counts=FOUR)
    done = bench(fencepost, "event_counts", "--rounds", "2", "--into", "/dev/full")
    assert done.returncode == 1
    assert "/dev/full: No space left on device" in done.stderr
    assert "Traceback" not in done.stderr and "Exception" not in done.stderr


def test_a_file_that_may_not_grow_keeps_what_fitted(built: Built) -> None:
    place = built(event_counts=FOUR)
    done = subprocess.run(
        [
            "/bin/bash",
            "-c",
            'ulimit -f 6; exec "$0" "$@"',
            ROOT / "fencepost",
            "bench",
            "--others",
            "1000",
            "--build-dir",
            "build",
            "event_counts",
            "--rounds",
            "50",
            "--into",
            "r.jsonl",
        ],
        cwd=place,
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    assert done.returncode == 1
    assert "r.jsonl: File too large" in done.stderr
    assert "met?" in done.stdout
    assert "Traceback" not in done.stderr
    kept = fencepost_report(place)
    assert "windows kept" in kept


def fencepost_report(place: Path) -> str:
    return subprocess.run(
        [ROOT / "fencepost", "bench", "--report", "r.jsonl"],
        cwd=place,
        capture_output=True,
        text=True,
        check=True,
        stdin=subprocess.DEVNULL,
    ).stdout


def test_without_permission_to_pin_it_says_so_in_words(fencepost: Run, built: Built) -> None:
    place = built(event_counts={"w/a": 1.0, "pinned": "no"})
    done = bench(fencepost, "event_counts", "--rounds", "1", "--into", "r.jsonl")
    assert done.returncode == 0
    assert "threads could not be pinned to processors" in done.stderr
    assert lines_of(place / "r.jsonl", "run")[0]["pinned"] == "no"


def test_processors_that_are_not_there_are_refused(fencepost: Run, built: Built) -> None:
    built(event_counts=FOUR)
    done = bench(fencepost, "event_counts", "--cpu", "4000")
    assert done.returncode == 3
    assert "processors that may be used are" in done.stderr


def test_unknown_variants_and_patterns_are_refused_with_the_nearest_names(
    fencepost: Run, built: Built
) -> None:
    built(event_counts=FOUR)
    done = bench(fencepost, "event_counts", "--variants", "fencepost_event_cout")
    assert done.returncode == 3
    assert "there is no variant 'fencepost_event_cout'; did you mean fencepost_event_count" in (
        done.stderr
    )
    done = bench(fencepost, "event_counts", "--only", "increment/fencepost_evnt_count$")
    assert "did you mean event_counts/increment/fencepost_event_count" in done.stderr


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


def test_results_of_another_schema_are_refused(fencepost: Run, tmp_path: Path) -> None:
    (tmp_path / "old.jsonl").write_text('{"kind": "run", "schema": 999}\n')
    done = fencepost("bench", "--report", "old.jsonl")
    assert done.returncode != 0
    assert "schema 999" in done.stderr


def test_windows_that_others_disturb_are_repeated_and_counted(fencepost: Run, built: Built) -> None:
    place = built(event_counts={"w/calm": 1.0, "w/disturbed": "preempted"})
    done = fencepost(
        "bench", "--build-dir", "build", "event_counts", "--rounds", "1", "--into", "r.jsonl"
    )
    assert done.returncode == 1
    assert "w/disturbed: round 0: disturbed 10 times" in done.stderr
    assert "1 windows kept, 10 discarded and repeated" in done.stdout
    kept = [w["kept"] for w in lines_of(place / "r.jsonl", "window") if w["variant"] != "calm"]
    assert kept == [False] * 10
