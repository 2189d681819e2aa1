# SPDX-License-Identifier: MIT
"""The workers of a cluster find what one process finds, each execution once, whoever dies."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from exploring import LATE, LONG, build, explore
from fencepost.console.input_error import Unsupported, UnusableInput
from fencepost.execution.plain_accesses import with_plain_accesses
from fencepost.execution.schema import Exploration
from fencepost.explore import cluster_search
from fencepost.explore.cluster import Cluster
from fencepost.explore.run_program import Bounds
from fencepost.toolchain.build_program import build_program
from fencepost.toolchain.toolchain import Toolchain
from on_cluster import Interrupted, Shared, Small, counters, scheduler, trap, worker


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """Two workers, which nobody harms."""
    with ExitStack() as stack:
        address = stack.enter_context(scheduler()).address
        for _ in range(2):
            stack.enter_context(worker(address, tmp_path_factory.mktemp("worker")))
        yield stack.enter_context(Cluster(address))


@pytest.fixture
def mortal(tmp_path: Path) -> Iterator[Cluster]:
    """Two workers that a test may kill."""
    with ExitStack() as stack:
        address = stack.enter_context(scheduler()).address
        for name in ("one", "two"):
            stack.enter_context(worker(address, tmp_path / name))
        yield stack.enter_context(Cluster(address))


def test_two_workers_find_what_one_process_finds(program: Path, cluster: Cluster) -> None:
    alone = explore(program, "all=1 dump=1 progress=0")
    runs = alone.result["stats"]["replays"]
    search = Shared(cluster, program, Small(all=True, dump=True, runs=runs // 6 + 1))
    found = search.found()
    assert search.executions == alone.executions
    assert counters(found) == alone.counters
    wanted = Exploration.from_json(alone.result).violation
    assert (found.violation is None) == (wanted is None)
    if found.violation and wanted:
        assert found.violation.kind == wanted.kind
        length = len(with_plain_accesses(wanted).execution.events)
        assert len(found.violation.execution.events) == length, "the shortest one is told"


def test_the_first_violation_stops_all(cluster: Cluster, tmp_path: Path) -> None:
    program = build("locks/reader_writer_lock.cpp", tmp_path, "-DLEAVE=relaxed")
    found = Shared(cluster, program, Small(runs=5)).found()
    assert found.verdict == "violated"
    assert found.violation and found.violation.kind == "data-race"


def test_what_is_not_supported_is_said_whoever_meets_it(cluster: Cluster, tmp_path: Path) -> None:
    source = tmp_path / "late.c"
    source.write_text(LATE)
    program = build(str(source), tmp_path / "built")
    found = Shared(cluster, program, Small(runs=3)).found()
    assert found.verdict == "inconclusive"
    assert "system call" in found.reason
    assert found.place != 0


def test_limits_stop_all(cluster: Cluster, long: Path) -> None:
    found = Shared(cluster, long, Small(max_executions=2000)).found()
    assert found.verdict == "inconclusive"
    assert "the limit on executions" in found.reason
    assert 2000 <= found.executions < LONG[1]


#: Hands two values through a slot of the library that the tests of linked code use.
THROUGH_A_SLOT = """\
#include <assert.h>
#include <pthread.h>
#include "slot.h"
static struct slot *s;
static void *put(void *unused) { slot_put(s, 1); slot_put(s, 2); return unused; }
int main(void) {
  pthread_t putter;
  s = slot_make();
  pthread_create(&putter, 0, put, 0);
  assert(slot_take(s) == 1);
  assert(slot_take(s) == 2);
  pthread_join(putter, 0);
}
"""


def test_what_is_trusted_goes_to_the_workers_with_the_program(
    cluster: Cluster, tmp_path: Path
) -> None:
    library = Path(__file__).parents[2] / "end_to_end" / "linked"
    trusted = tmp_path / "slot.o"
    subprocess.run(["gcc", "-c", library / "slot.c", "-o", trusted], check=True)
    (tmp_path / "main.c").write_text(THROUGH_A_SLOT)
    toolchain = Toolchain("gcc", (f"-I{library}",), trusted=(str(trusted),))
    program = build_program([tmp_path / "main.c"], toolchain, tmp_path / "built").executable
    alone = explore(program, "all=1")
    assert alone.counters[0] == "holds"
    assert counters(Shared(cluster, program, Small(all=True, runs=5)).found()) == alone.counters


def test_the_processors_of_the_workers_are_counted(cluster: Cluster, long: Path) -> None:
    alone = explore(long, "max_executions=5000").result["stats"]["cpu_seconds"]
    shared = Shared(cluster, long, Small(max_executions=5000, runs=1000)).found()
    assert shared.stats["cpu_seconds"] > alone / 2, "who shares out the search does little"


def test_after_ctrl_c_the_cluster_goes_on_from_the_checkpoint(
    cluster: Cluster, long: Path, tmp_path: Path
) -> None:
    bounds = Small(checkpoint=str(tmp_path / "left"), runs=1000)
    first = Interrupted(cluster, long, bounds).found()
    assert first.verdict == "inconclusive"
    assert "interrupted" in first.reason and "goes on from there" in first.reason
    assert 2000 < first.executions < LONG[1]
    assert counters(Shared(cluster, long, bounds).found()) == LONG
    assert list(tmp_path.iterdir()) == []


def test_what_a_cluster_has_left_is_done_by_jobs(
    cluster: Cluster, long: Path, tmp_path: Path
) -> None:
    checkpoint = tmp_path / "left"
    Interrupted(cluster, long, Small(checkpoint=str(checkpoint), runs=1000)).found()
    assert explore(long, "jobs=2", checkpoint).counters == LONG


def test_what_jobs_have_left_is_done_by_a_cluster(
    cluster: Cluster, long: Path, tmp_path: Path
) -> None:
    checkpoint = tmp_path / "left"
    first = explore(long, "jobs=2 max_executions=5000", checkpoint)
    assert first.status == 2
    found = Shared(cluster, long, Bounds(checkpoint=str(checkpoint))).found()
    assert counters(found) == LONG
    assert found.stats["cpu_seconds"] > first.result["stats"]["cpu_seconds"], "both sittings"
    assert not checkpoint.exists()


def test_a_checkpoint_that_is_cut_short_is_refused_and_kept(
    cluster: Cluster, long: Path, tmp_path: Path
) -> None:
    checkpoint = tmp_path / "left"
    assert explore(long, "max_executions=1000", checkpoint).status == 2
    checkpoint.write_bytes(cut := checkpoint.read_bytes()[:-1])
    with pytest.raises(UnusableInput, match="damaged"):
        Shared(cluster, long, Small(checkpoint=str(checkpoint))).found()
    assert checkpoint.read_bytes() == cut


def test_nothing_is_left_at_the_workers(cluster: Cluster, long: Path) -> None:
    def files(dask_worker: object) -> list[str]:
        from pathlib import Path

        directory = Path(dask_worker.local_directory)  # type: ignore[attr-defined]
        return [file.name for file in directory.rglob("program")]

    Shared(cluster, long, Small()).found()
    assert set(map(tuple, cluster._client.run(files).values())) == {()}


def test_the_part_of_a_worker_that_dies_is_done_by_another(
    mortal: Cluster, long: Path, tmp_path: Path
) -> None:
    token = tmp_path / "token"
    trap(mortal, token, whom=0)
    assert counters(Shared(mortal, long, Small(runs=1000)).found()) == LONG
    assert not token.exists(), "nobody died"
    assert len(mortal.threads()) == 1


def test_a_worker_that_comes_later_takes_part(
    mortal: Cluster, long: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ExitStack() as stack:

        class Reinforced(Shared):
            def _admit(self, there: dict[str, int]) -> None:
                if not there:
                    stack.enter_context(worker(mortal.address, tmp_path / "three"))
                super()._admit(self._cluster.threads())

        monkeypatch.setattr(cluster_search, "WATCH_SECONDS", 0.1)
        tokens = [tmp_path / "first token", tmp_path / "second token"]
        for token in tokens:
            trap(mortal, token, whom=0)
        found = Reinforced(mortal, long, Small(runs=1000)).found()
        assert not any(token.exists() for token in tokens)
        assert counters(found) == LONG


def test_a_process_that_dies_is_replaced(cluster: Cluster, long: Path, tmp_path: Path) -> None:
    token = tmp_path / "token"
    trap(cluster, token, whom=-1)
    assert counters(Shared(cluster, long, Small(runs=1000)).found()) == LONG
    assert not token.exists(), "nobody died"


def test_a_part_over_which_all_die_is_kept(
    cluster: Cluster, long: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster_search, "MOST_DEATHS", 1)
    trap(cluster, tmp_path / "token", whom=-1)
    bounds = Small(checkpoint=str(tmp_path / "left"), runs=1000)
    found = Shared(cluster, long, bounds).found()
    assert found.verdict == "inconclusive"
    assert "died" in found.reason and "signal 9" in found.reason
    assert counters(Shared(cluster, long, bounds).found()) == LONG


def test_a_cluster_that_vanishes_leaves_a_checkpoint(long: Path, tmp_path: Path) -> None:
    checkpoint = tmp_path / "left"
    with scheduler() as it, worker(it.address, tmp_path / "one"), Cluster(it.address) as cluster:
        trap(cluster, tmp_path / "token", whom=it.process.pid, after=4)
        found = Shared(cluster, long, Small(checkpoint=str(checkpoint), runs=1000)).found()
    assert found.verdict == "inconclusive"
    assert "has vanished" in found.reason and "goes on from there" in found.reason
    assert found.executions < LONG[1]
    assert explore(long, "jobs=2", checkpoint).counters == LONG


def test_a_cluster_without_workers_is_no_verdict(
    long: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster_search, "WATCH_SECONDS", 0.1)
    monkeypatch.setattr(cluster_search, "ALONE_SECONDS", 0.1)
    with scheduler() as it, worker(it.address, tmp_path / "one"), Cluster(it.address) as cluster:
        trap(cluster, tmp_path / "token", whom=0)
        found = Shared(cluster, long, Small(runs=1000)).found()
    assert found.verdict == "inconclusive"
    assert "no worker of the cluster is left" in found.reason
    assert "--checkpoint" in found.reason


def test_a_program_that_asks_the_computer_is_refused(cluster: Cluster, tmp_path: Path) -> None:
    source = tmp_path / "asks.cpp"
    source.write_text(
        "#include <thread>\nint main() { return std::thread::hardware_concurrency() == 0; }\n"
    )
    program = build(str(source), tmp_path / "built")
    with pytest.raises(Unsupported, match="hardware_concurrency"):
        Shared(cluster, program, Bounds())
