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


def test_an_interrupted_run_prints_what_it_has(built: Callable[..., Path]) -> None:
    place = built(event_counts=FOUR)
    process = subprocess.Popen(
        [ROOT / "fencepost", "bench", "--build-dir", "build", "--others", "1000", "--rounds",
         "10000", "event_counts", "--into", "r.jsonl"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, stdin=subprocess.DEVNULL,
        cwd=place, env={**os.environ},
    )  # fmt: skip
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        if (place / "r.jsonl").exists() and len((place / "r.jsonl").read_text().split("\n")) > 10:
            break
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    out, errors = process.communicate(timeout=60)
    assert process.returncode == 130, errors
    assert "interrupted" in errors
    assert "met?" in out


def test_unknown_subjects_are_refused_with_the_nearest_name(fencepost: Run) -> None:
    done = fencepost("bench", "ring")
    assert done.returncode == 3
    assert "did you mean rings" in done.stderr


def test_where_nothing_is_built_it_says_what_to_do(fencepost: Run) -> None:
    done = bench(fencepost, "rings")
    assert done.returncode == 3
    assert "make bench" in done.stderr


def test_a_benchmark_that_crashes_is_named_and_the_others_go_on(
    fencepost: Run, built: Callable[..., Path]
) -> None:
    place = built(event_counts={"w/good": 2.0, "w/bad": "crash"})
    done = bench(fencepost, "event_counts", "--rounds", "2", "--into", "r.jsonl")
    assert done.returncode == 1
    assert "w/bad: status -11" in done.stderr
    kept = lines_of(place / "r.jsonl", "window")
    assert [line["variant"] for line in kept] == ["good", "good"]


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
