# SPDX-License-Identifier: MIT
"""What does it cost to share a search with a cluster rather than among processes?

Starts a scheduler and as many workers as there are to be jobs, all on this computer, and explores
one program with both in turn, several times. Compiling, and connecting to the cluster, count for
neither; that the program is sent to the workers does. CPU time is of all processes, Dask's too.

    fencepost bench cluster [--rounds 3] [-- --workers 2 --size 18]
"""

from __future__ import annotations

import argparse
import resource
import statistics
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from fencepost import ROOT
from fencepost.execution.schema import Exploration
from fencepost.explore.cluster import ByValue, Cluster
from fencepost.explore.cluster_search import ClusterSearch
from fencepost.explore.run_program import Bounds, Explorer
from fencepost.toolchain.build_program import build_program
from fencepost.toolchain.toolchain import Toolchain

if TYPE_CHECKING:
    from distributed import Client

SOURCE = ROOT / "tests" / "checker" / "programs" / "families" / "lastzero.c"


@dataclass(frozen=True)
class Cost:
    """Time, CPU time and executions of one exploration, wherever it ran."""

    seconds: float
    cpu_seconds: float
    executions: int


def cpu_seconds() -> float:
    """CPU time in seconds of this process and of those that it has waited for."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in used)


def cost(explore: Callable[[], Exploration], workers: Client) -> Cost:
    def cpu_of_all() -> float:
        return cpu_seconds() + float(sum(workers.run(ByValue(cpu_seconds)).values()))

    cpu, clock = cpu_of_all(), time.monotonic()
    found = explore()
    clock, cpu = time.monotonic() - clock, cpu_of_all() - cpu
    if found.verdict != "holds":
        raise SystemExit(f"{found.verdict}: {found.reason}")
    return Cost(clock, cpu, found.executions)


def measure(
    address: str, workers: Client, jobs: int, rounds: int, size: int, directory: Path
) -> None:
    program = build_program([SOURCE], Toolchain("gcc", (f"-DN={size}",)), directory)

    with Cluster(address) as cluster:

        def with_jobs() -> Exploration:
            return Explorer(program, Bounds(jobs=jobs)).run()

        def with_cluster() -> Exploration:
            with ClusterSearch(cluster, program, Bounds()) as helpers:
                return Explorer(program, Bounds(), helpers=helpers).run()

        costs: list[tuple[Cost, Cost]] = []
        for _ in range(rounds):
            costs.append((cost(with_jobs, workers), cost(with_cluster, workers)))
            for name, each in zip((f"--jobs {jobs}", "--cluster"), costs[-1], strict=True):
                print(f"{name:10}{each.seconds:8.2f} s{each.cpu_seconds:8.2f} s of CPU", flush=True)
    executions = {each.executions for pair in costs for each in pair}
    if len(executions) != 1:
        raise SystemExit(f"the numbers of executions differ: {executions}")
    clock = statistics.median(shared.seconds / alone.seconds for alone, shared in costs)
    cpu = statistics.median(shared.cpu_seconds / alone.cpu_seconds for alone, shared in costs)
    print(
        f"{executions.pop():,} executions each time; the cluster takes {clock:.2f} times as long "
        f"and {cpu:.2f} times the CPU"
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="fencepost bench cluster --", description=__doc__.splitlines()[0]
    )
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--size", type=int, default=18, help="N of lastzero(N)")
    args = parser.parse_args()
    from distributed import LocalCluster

    with (
        tempfile.TemporaryDirectory() as directory,
        LocalCluster(  # type: ignore[no-untyped-call]
            args.workers, threads_per_worker=1, dashboard_address=None
        ) as local,
        local.get_client() as workers,
    ):
        measure(
            local.scheduler_address, workers, args.workers, args.rounds, args.size, Path(directory)
        )


if __name__ == "__main__":
    main()
