# SPDX-License-Identifier: MIT
"""A search that is shared with a cluster ends whatever is lost at whatever moment: a worker, the
scheduler, or the network between it and here. What was found until then is kept."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from exploring import LONG, build, explore
from fencepost.console.input_error import UnusableInput
from fencepost.execution.schema import Exploration
from fencepost.explore import cluster as cluster_module
from fencepost.explore import cluster_search
from fencepost.explore.cluster import Cluster
from on_cluster import (
    NEVER_SECONDS,
    STOPS,
    Loss,
    Network,
    Parties,
    Shared,
    Small,
    counters,
    network,
    no_longer_than,
    scheduler,
    stop_worker,
    worker,
)

ROOT = Path(__file__).resolve().parents[3]
LASTZERO = ROOT / "tests" / "checker" / "programs" / "families" / "lastzero.c"
INCONCLUSIVE = 2


@pytest.fixture(scope="module")
def lasting(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Parties]:
    """Those that may be stopped, and go on."""
    with scheduler() as first, worker(first.address, tmp_path_factory.mktemp("worker")) as second:
        yield Parties(first, second)


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build("families/lastzero.c", tmp_path_factory.mktemp("small"), "-DN=3")


@pytest.fixture(autouse=True)
def no_hang() -> Iterator[None]:
    with no_longer_than(NEVER_SECONDS):
        yield


@pytest.fixture
def lose(lasting: Parties, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    """Loses something now; from then on nobody is waited for long."""

    def now(loss: Loss, between: Network) -> None:
        for name in ("PATIENCE", "ANSWER", "PREPARE", "FORGET"):
            monkeypatch.setattr(cluster_module, f"{name}_SECONDS", 0.5)
        monkeypatch.setattr(cluster_search, "FORGET_SECONDS", 0.5)
        monkeypatch.setattr(cluster_search, "WATCH_SECONDS", 0.1)
        loss(lasting, between)

    yield now
    lasting.go_on()


each_stop = pytest.mark.parametrize("loss", STOPS, ids=lambda loss: loss.__name__)


@each_stop
def test_before_it_begins(
    loss: Loss, lasting: Parties, lose: Callable[..., None], small: Path
) -> None:
    with network(lasting.scheduler.address) as between:
        lose(loss, between)
        with pytest.raises(UnusableInput), Cluster(between.address) as cluster:
            Shared(cluster, small, Small()).found()


@each_stop
def test_before_the_program_is_sent(
    loss: Loss, lasting: Parties, lose: Callable[..., None], small: Path
) -> None:
    with network(lasting.scheduler.address) as between, Cluster(between.address) as cluster:
        lose(loss, between)
        with pytest.raises(UnusableInput, match=r"has vanished|can take part"):
            Shared(cluster, small, Small()).found()


@each_stop
def test_while_the_program_is_sent(
    loss: Loss,
    lasting: Parties,
    lose: Callable[..., None],
    small: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with network(lasting.scheduler.address) as between, Cluster(between.address) as cluster:
        ask_versions = cluster.versions

        def versions(workers: list[str]) -> dict[str, Any]:
            found = ask_versions(workers)
            lose(loss, between)
            return found

        monkeypatch.setattr(cluster, "versions", versions)
        with pytest.raises(UnusableInput, match=r"has vanished|can take part"):
            Shared(cluster, small, Small()).found()


class Losing(Shared):
    """Something is lost with the third answer."""

    def __init__(self, lose: Callable[[], None], *arguments: Any) -> None:
        super().__init__(*arguments)
        self._lose = lose
        self._answers = 0
        self._counting = threading.Lock()

    def _say(self, line: Any, message: bytes) -> bool:
        with self._counting:
            self._answers += 1
            if self._answers == 3:
                self._lose()
        return super()._say(line, message)


@each_stop
def test_while_it_searches(
    loss: Loss, lasting: Parties, lose: Callable[..., None], long: Path, tmp_path: Path
) -> None:
    checkpoint = tmp_path / "left"
    bounds = Small(checkpoint=str(checkpoint), runs=1000)

    with network(lasting.scheduler.address) as between, Cluster(between.address) as cluster:

        def losing() -> None:
            lose(loss, between)
            if loss is stop_worker:
                search.explorer.stop()  # Dask waits for minutes for it to go on: somebody does not

        search = Losing(losing, cluster, long, bounds)
        found: Exploration = search.found()
    assert found.verdict == "inconclusive"
    assert ("interrupted" if loss is stop_worker else "has vanished") in found.reason
    assert "goes on from there" in found.reason
    assert explore(long, "jobs=2", checkpoint).counters == LONG


@each_stop
@pytest.mark.parametrize("moment", ["forget", "close"])
def test_when_it_is_over(
    moment: str,
    loss: Loss,
    lasting: Parties,
    lose: Callable[..., None],
    small: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with network(lasting.scheduler.address) as between, Cluster(between.address) as cluster:
        real = getattr(cluster, moment, None) or cluster._close

        def lost(*arguments: Any) -> None:
            lose(loss, between)
            real(*arguments)

        monkeypatch.setattr(cluster, "forget" if moment == "forget" else "_close", lost)
        found = Shared(cluster, small, Small(all=True)).found()
    assert counters(found) == explore(small, "all=1").counters


#: The command line, whose scheduler is stopped when the third answer comes.
COMMAND = """
import os, signal, sys
from fencepost.explore import cluster, cluster_search
from fencepost.cli import end, main
real = cluster_search.ClusterSearch._say
answers = []
def say(self, line, message):
    answers.append(1)
    if len(answers) == 3:
        cluster.ANSWER_SECONDS = cluster.FORGET_SECONDS = cluster_search.FORGET_SECONDS = 0.5
        os.kill(int(sys.argv[1]), signal.SIGSTOP)
    return real(self, line, message)
cluster_search.ClusterSearch._say = say
end(main(sys.argv[2:]))
"""


def test_the_command_ends_and_tells(
    lasting: Parties, tmp_path: Path, lose: Callable[..., None]
) -> None:
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            COMMAND,
            str(lasting.scheduler.process.pid),
            "check",
            LASTZERO,
            "--cluster",
            lasting.scheduler.address,
            "--checkpoint",
            tmp_path / "left",
            "--",
            "-DN=22",
        ],
        capture_output=True,
        text=True,
        timeout=NEVER_SECONDS,
        env={**os.environ, "PYTHONPATH": str(ROOT / "lab")},
    )
    assert done.returncode == INCONCLUSIVE, done.stderr
    assert "has vanished" in done.stdout
    assert (tmp_path / "left").exists()
