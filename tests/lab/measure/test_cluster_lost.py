# SPDX-License-Identifier: MIT
"""fencepost bench --cluster ends, with what came back, whatever is lost at whatever moment: a
worker, the scheduler, or the network between it and here."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from benchmarks_built import FOUR, Built, lines_of
from fencepost.cli import main
from fencepost.explore import cluster as cluster_module
from fencepost.explore.cluster import Cluster
from fencepost.measure import cluster
from fencepost.measure.cluster import BENCH, FACTS, OnCluster
from on_cluster import (
    KILLS,
    NEVER_SECONDS,
    STOPS,
    Loss,
    Parties,
    kill_worker,
    network,
    no_longer_than,
    scheduler,
    stop_worker,
    worker,
)
from scripted import ROOT

STAGES = ("before", "connected", "facts", "measuring", "end", "close")
#: By stage: the exit status, and what is said.
UNUSABLE, LOST, COMPLETE, INTERRUPTED = 3, 1, 0, 130


@pytest.fixture(scope="module")
def lasting(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Parties]:
    """Those that may be stopped, and go on."""
    with scheduler() as first, worker(first.address, tmp_path_factory.mktemp("worker")) as second:
        yield Parties(first, second)


@pytest.fixture
def mortal(tmp_path: Path) -> Iterator[Parties]:
    """Those that may be killed."""
    with scheduler() as first, worker(first.address, tmp_path / "worker") as second:
        yield Parties(first, second)


@pytest.fixture(autouse=True)
def no_hang() -> Iterator[None]:
    with no_longer_than(NEVER_SECONDS):
        yield


def lose(patch: pytest.MonkeyPatch, stage: str, loss: Callable[[], None]) -> None:
    """Calls `loss` once when that stage is reached. From then on nobody is waited for long."""
    lost: list[str] = []
    patch.setattr(cluster, "POLL_SECONDS", 0.05)

    def once() -> None:
        if lost:
            return
        lost.append(stage)
        patch.setattr(cluster_module, "PATIENCE_SECONDS", 0.5)
        patch.setattr(cluster_module, "ANSWER_SECONDS", 0.5)
        patch.setattr(cluster, "FORGET_SECONDS", 0.5)
        patch.setattr(cluster, "STOP_ANSWER_SECONDS", 0.5)
        loss()

    def before(of: type, name: str, when: Callable[..., bool] = lambda *_: True) -> None:
        real = getattr(of, name)

        def called(self: Any, *arguments: Any, **more: Any) -> Any:
            if when(*arguments):
                once()
            return real(self, *arguments, **more)

        patch.setattr(of, name, called)

    if stage == "before":
        before(Cluster, "_connect")
    elif stage == "connected":
        before(OnCluster, "measure")
    elif stage == "facts":
        before(OnCluster, "_is_over", lambda site, *_: site.stage == FACTS)
    elif stage == "measuring":
        before(OnCluster, "_is_over", lambda site, *_: site.stage == BENCH and site.windows >= 1)
    elif stage == "end":
        before(OnCluster, "_clean_up")
    else:
        before(Cluster, "_close")


def measure(place: Path, address: str, *words: str) -> int:
    os.chdir(place)
    return main(
        [
            "bench",
            "event_counts",
            "--build-dir",
            "build",
            "--others",
            "1000",
            "--rounds",
            "1",
            "--cluster",
            address,
            "--into",
            "r.jsonl",
            *words,
        ]
    )


def judge(stage: str, worker_only: bool, status: int, said: Any, place: Path) -> None:
    assert "Traceback" not in said.err
    if stage in ("end", "close"):
        assert status == COMPLETE, said.err
        assert len(lines_of(place / "r.jsonl", "window")) == 4
        assert "4 windows kept" in said.out
    elif stage == "measuring":
        assert status == LOST, said.err
        assert "it has gone" in said.err and "what came back until then is kept" in said.err
        kept = len(lines_of(place / "r.jsonl", "window"))
        assert kept >= 1 and f"{kept} windows kept" in said.out
    else:
        assert status == UNUSABLE
        assert "windows kept" not in said.out
        words = {
            "before": "no Dask scheduler answers at",
            "connected": "before it began",
            "facts": "it has gone",
        }
        if not (worker_only and stage == "before"):
            assert words[stage] in said.err


@pytest.mark.matrix(5)
@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize("loss", STOPS, ids=lambda loss: loss.__name__)
def test_what_falls_silent_is_not_waited_for(
    loss: Loss,
    stage: str,
    built: Built,
    lasting: Parties,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    place = built(event_counts=FOUR)
    monkeypatch.chdir(place)
    with network(lasting.scheduler.address) as between:
        lose(monkeypatch, stage, lambda: loss(lasting, between))
        try:
            status = measure(place, between.address)
        finally:
            lasting.go_on()
    judge(stage, loss is stop_worker, status, capfd.readouterr(), place)


@pytest.mark.matrix(5)
@pytest.mark.parametrize("stage", ["connected", "facts", "measuring", "end"])
@pytest.mark.parametrize("loss", KILLS, ids=lambda loss: loss.__name__)
def test_what_dies_is_not_waited_for(
    loss: Loss,
    stage: str,
    built: Built,
    mortal: Parties,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    place = built(event_counts=FOUR)
    monkeypatch.chdir(place)
    with network(mortal.scheduler.address) as between:
        lose(monkeypatch, stage, lambda: loss(mortal, between))
        status = measure(place, between.address)
    judge(stage, loss is kill_worker, status, capfd.readouterr(), place)


@pytest.mark.parametrize("loss", STOPS, ids=lambda loss: loss.__name__)
def test_interrupted_while_nobody_answers_it_keeps_what_came_back(
    loss: Loss,
    built: Built,
    lasting: Parties,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    place = built(event_counts=FOUR)
    monkeypatch.chdir(place)
    with network(lasting.scheduler.address) as between:

        def lose_and_interrupt() -> None:
            loss(lasting, between)
            signal.raise_signal(signal.SIGINT)

        lose(monkeypatch, "measuring", lose_and_interrupt)
        try:
            status = measure(place, between.address)
        finally:
            lasting.go_on()
    said = capfd.readouterr()
    assert status == INTERRUPTED, said.err
    kept = len(lines_of(place / "r.jsonl", "window"))
    assert kept >= 1 and f"{kept} windows kept" in said.out


#: The command line, in which a thread of Dask's cannot be ended: it looks a name up, for example.
STUCK = """
import sys, threading, time
from fencepost.explore import cluster
from fencepost.cli import end, main
def stuck():
    time.sleep(3600)
real = cluster.Cluster._close
def close(self):
    self._client.loop.add_callback(lambda: self._client.loop.run_in_executor(None, stuck))
    if sys.argv[1] == "loop":
        self._client.loop.add_callback(stuck)
    real(self)
cluster.Cluster._close = close
cluster.CLOSE_SECONDS = 1.0
end(main(sys.argv[2:]))
"""


@pytest.mark.parametrize("which", ["loop", "helper"])
def test_a_thread_that_cannot_be_ended_does_not_hold_up_the_end(
    which: str, built: Built, lasting: Parties
) -> None:
    place = built(event_counts=FOUR)
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            STUCK,
            which,
            "bench",
            "event_counts",
            "--build-dir",
            "build",
            "--others",
            "1000",
            "--rounds",
            "1",
            "--cluster",
            lasting.scheduler.address,
            "--into",
            "r.jsonl",
        ],
        cwd=place,
        capture_output=True,
        text=True,
        timeout=NEVER_SECONDS,
        env={**os.environ, "PYTHONPATH": str(ROOT / "lab")},
    )
    assert done.returncode == COMPLETE, done.stderr
    assert "4 windows kept" in done.stdout
    assert "every window is in r.jsonl" in done.stdout
    assert "cannot be closed, and is given up" in done.stderr
