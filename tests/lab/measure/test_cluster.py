# SPDX-License-Identifier: MIT
"""fencepost bench --cluster: the same experiment at real workers, each a process of its own."""

from __future__ import annotations

import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from benchmarks_built import FOUR, Built, bench, lines_of, orders_in
from on_cluster import Started, scheduler, worker
from scripted import ROOT, Run

pytestmark = pytest.mark.matrix(4)


@pytest.fixture
def cluster() -> Iterator[Started]:
    with scheduler() as it:
        yield it


def begin(place: Path, address: str, *words: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [
            ROOT / "fencepost",
            "bench",
            "event_counts",
            "--build-dir",
            "build",
            "--others",
            "1000",
            "--cluster",
            address,
            "--into",
            "r.jsonl",
            *words,
        ],
        cwd=place,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        stdin=subprocess.DEVNULL,
    )


def wait_for_windows(path: Path) -> None:
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        if path.exists() and path.read_text().count('"window"') >= 3:
            return
        time.sleep(0.05)
    raise AssertionError("nothing came back")


def test_two_workers_measure_the_same_and_their_runs_are_compared(
    fencepost: Run, built: Built, cluster: Started, tmp_path: Path
) -> None:
    place = built(event_counts=FOUR)
    with worker(cluster.address, tmp_path / "a"), worker(cluster.address, tmp_path / "b"):
        done = bench(
            fencepost,
            "event_counts",
            "--rounds",
            "3",
            "--cluster",
            cluster.address,
            "--into",
            "r.jsonl",
        )
    assert done.returncode == 0, done.stderr
    one, other = lines_of(place / "r.jsonl", "run")
    assert one["worker"] != other["worker"]
    assert one["experiment"] == other["experiment"]
    windows = lines_of(place / "r.jsonl", "window")
    orders = [
        [(w["round"], w["variant"]) for w in windows if w["run"] == run["run"]]
        for run in (one, other)
    ]
    assert orders[0] == orders[1] and len(orders[0]) == 12
    assert done.stdout.count("12 windows kept") == 2
    answer = fencepost("compare", one["run"], other["run"], "--results", "r.jsonl")
    assert answer.returncode in (0, 2), answer.stderr
    assert one["run"] in answer.stdout and other["run"] in answer.stdout
    # Nothing of it stays there.
    assert not list((tmp_path / "a").glob("**/fencepost-bench-*"))


def test_of_a_worker_that_dies_what_came_back_is_kept(
    built: Built, cluster: Started, tmp_path: Path
) -> None:
    place = built(event_counts=FOUR)
    with worker(cluster.address, tmp_path / "a") as a, worker(cluster.address, tmp_path / "b") as b:
        process = begin(place, cluster.address, "--rounds", "20")
        wait_for_windows(place / "r.jsonl")
        (first,) = lines_of(place / "r.jsonl", "run")
        dead, alive = (a, b) if first["worker"] == a.address else (b, a)
        dead.process.kill()
        _, errors = process.communicate(timeout=240)
    assert process.returncode == 1
    assert f"the worker {dead.address}: it has gone; what came back until then is kept" in errors
    runs = {run["worker"]: run["run"] for run in lines_of(place / "r.jsonl", "run")}
    counts = {
        address: sum(w["run"] == run for w in lines_of(place / "r.jsonl", "window"))
        for address, run in runs.items()
    }
    assert 3 <= counts[dead.address] < 80
    assert counts[alive.address] == 80


def test_interrupted_it_keeps_what_came_back(
    built: Built, cluster: Started, tmp_path: Path
) -> None:
    place = built(event_counts=FOUR)
    with worker(cluster.address, tmp_path / "a"):
        process = begin(place, cluster.address, "--rounds", "10000")
        wait_for_windows(place / "r.jsonl")
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=120)
    assert process.returncode == 130
    assert "windows kept" in out
    assert len(orders_in(place / "r.jsonl")) >= 3


def test_a_full_disk_is_told_and_ends_it(
    fencepost: Run, built: Built, cluster: Started, tmp_path: Path
) -> None:
    built(event_counts=FOUR)
    with worker(cluster.address, tmp_path / "a"):
        done = bench(
            fencepost,
            "event_counts",
            "--rounds",
            "2",
            "--cluster",
            cluster.address,
            "--into",
            "/dev/full",
        )
    assert done.returncode == 3
    assert "/dev/full: No space left on device" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_worker_with_other_sources_is_left_out(
    fencepost: Run, built: Built, cluster: Started, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    built(event_counts=FOUR)
    other = tmp_path / "other"
    other.write_text('#!/bin/sh\necho \'{"commit": "0123456789ab"}\'\n')
    other.chmod(0o755)
    monkeypatch.setenv("FENCEPOST", str(other))
    with worker(cluster.address, tmp_path / "a") as it:
        monkeypatch.delenv("FENCEPOST")
        done = bench(fencepost, "event_counts", "--cluster", cluster.address, "--into", "r.jsonl")
    assert done.returncode == 3
    assert f"the worker {it.address}: its sources are of commit 0123456789ab" in done.stderr
    assert "no worker has measured anything" in done.stderr


def test_where_there_is_no_cluster_it_says_so(fencepost: Run) -> None:
    done = fencepost("bench", "rings", "--cluster", "nonsense")
    assert done.returncode == 3
    assert "that is no scheduler's address" in done.stderr
    done = fencepost("bench", "--program", "/bin/true", "--cluster", "tcp://127.0.0.1:1")
    assert "--program does not go together with --cluster" in done.stderr
