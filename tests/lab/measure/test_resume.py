# SPDX-License-Identifier: MIT
"""fencepost bench --resume: goes on where it stopped, with the same experiment alone."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest
from benchmarks_built import FOUR, Built, bench, lines_of, orders_in
from scripted import ROOT, Run


def interrupted(place: Path, *words: str) -> tuple[int, str, str]:
    """Exit status, output and errors of a run that is interrupted when a few windows are there."""
    process = subprocess.Popen(
        [ROOT / "fencepost", "bench", "--build-dir", "build", "--others", "1000", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        stdin=subprocess.DEVNULL,
        cwd=place,
        env={**os.environ},
    )
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        if (place / "r.jsonl").exists() and len((place / "r.jsonl").read_text().split("\n")) > 10:
            break
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    out, errors = process.communicate(timeout=60)
    return process.returncode, out, errors


def test_an_interrupted_run_prints_what_it_has_and_is_gone_on_with_as_if_it_had_not_been(
    fencepost: Run, built: Built
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


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("rings",), "subjects was event_counts there and is rings here"),
        (("--seed", "8"), "--seed was 7 there and is 8 here"),
        (("--only", "atomic"), "--only was not given there and is atomic here"),
    ],
)
def test_another_experiment_is_not_gone_on_with(
    words: tuple[str, ...], told: str, fencepost: Run, built: Built
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
    fact: str, told: str, fencepost: Run, built: Built
) -> None:
    place = built(event_counts=FOUR)
    bench(fencepost, "event_counts", "--rounds", "1", "--into", "r.jsonl")
    first, *rest = (place / "r.jsonl").read_text().splitlines()
    run = {**json.loads(first), fact: "another"}
    (place / "r.jsonl").write_text("\n".join([json.dumps(run), *rest]) + "\n")
    done = bench(fencepost, "--resume", "r.jsonl", "--rounds", "2")
    assert done.returncode == 3
    assert told in done.stderr


def test_a_program_that_has_changed_does_not_go_on(fencepost: Run, built: Built) -> None:
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
        (
            '{"kind": "run", "schema": 2, "run": "r", "interleaved": true, "metrics": {}}\n',
            "it holds no run of 'fencepost bench'",
        ),
    ],
)
def test_what_is_no_run_of_its_own_is_not_gone_on_with(
    text: str, told: str, fencepost: Run, tmp_path: Path
) -> None:
    (tmp_path / "r.jsonl").write_text(text)
    done = fencepost("bench", "--resume", "r.jsonl")
    assert done.returncode == 3
    assert told in done.stderr
    assert "there is no such file" in fencepost("bench", "--resume", "none.jsonl").stderr


def test_more_rounds_may_be_asked_for(fencepost: Run, built: Built) -> None:
    place = built(event_counts=FOUR)
    bench(fencepost, "event_counts", "--rounds", "2", "--into", "r.jsonl")
    done = bench(fencepost, "--resume", "r.jsonl", "--rounds", "3")
    assert "12 windows kept" in done.stdout
    assert {number for number, _ in orders_in(place / "r.jsonl")} == {0, 1, 2}
