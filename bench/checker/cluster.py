#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What does it cost to share a search with a cluster rather than among processes?

Starts a scheduler and as many workers as there are to be jobs, all on this computer, and explores
one program with both in turn, several times. Compiling, and connecting to the cluster, count for
neither; that the program is sent to the workers does.

    .venv/bin/python bench/checker/cluster.py [--workers 2] [--rounds 3] [--size 18]
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "lab"))

from fencepost.build_program import Toolchain, build_program  # noqa: E402
from fencepost.cluster import Cluster  # noqa: E402
from fencepost.cluster_search import ClusterSearch  # noqa: E402
from fencepost.execution import Exploration  # noqa: E402
from fencepost.run_program import Bounds, Explorer  # noqa: E402

SOURCE = ROOT / "tests" / "checker" / "programs" / "families" / "lastzero.c"


def timed(explore: Callable[[], Exploration]) -> tuple[float, int]:
    before = time.monotonic()
    found = explore()
    if found.verdict != "holds":
        raise SystemExit(f"{found.verdict}: {found.reason}")
    return time.monotonic() - before, found.executions


def measure(address: str, workers: int, rounds: int, size: int, directory: Path) -> None:
    program = build_program([SOURCE], Toolchain("gcc", (f"-DN={size}",)), directory)
    bounds = Bounds()

    with Cluster(address) as cluster:

        def with_jobs() -> Exploration:
            return Explorer(program, Bounds(jobs=workers)).run()

        def with_cluster() -> Exploration:
            with ClusterSearch(cluster, program, bounds) as helpers:
                return Explorer(program, bounds, helpers=helpers).run()

        jobs, shared, executions = [], [], set()
        for _ in range(rounds):
            for explore, seconds in ((with_jobs, jobs), (with_cluster, shared)):
                taken, found = timed(explore)
                seconds.append(taken)
                executions.add(found)
            print(f"--jobs {workers}: {jobs[-1]:.2f} s   --cluster: {shared[-1]:.2f} s", flush=True)
    if len(executions) != 1:
        raise SystemExit(f"the numbers of executions differ: {executions}")
    ratio = statistics.median(shared) / statistics.median(jobs)
    print(f"{executions.pop():,} executions each time; the cluster takes {ratio:.2f} times as long")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--size", type=int, default=18, help="N of lastzero(N)")
    args = parser.parse_args()
    from distributed import LocalCluster

    with (
        tempfile.TemporaryDirectory() as directory,
        LocalCluster(args.workers, threads_per_worker=1, dashboard_address=None) as local,
    ):
        address = local.scheduler_address
        measure(address, args.workers, args.rounds, args.size, Path(directory))


if __name__ == "__main__":
    main()
