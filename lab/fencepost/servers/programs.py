# SPDX-License-Identifier: MIT
"""Programs that load themselves: one that does little but lock and unlock, one that allocates."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from fencepost.servers.stage import Stage, ask
from fencepost.servers.subject import Done, Server, Tool, found_number


@dataclass(frozen=True)
class _Locking:
    mutexes: int
    #: Turns of an empty loop between two sections.
    between: int


_LOCKING = {
    "one_mutex": _Locking(1, 0),
    "one_mutex_work_between": _Locking(1, 100),
    "64_mutexes": _Locking(64, 0),
}


class LockHeavy(Server):
    """sysbench's `mutex`: every thread locks one of some pthread mutexes, adds one to a counter,
    unlocks it, and begins again. More than half of its time is inside lock and unlock."""

    name = "lock_heavy"
    question = "how fast is a program that does little but lock and unlock (sysbench mutex)?"
    figure, unit = "sections_per_second", "sections/s"
    tools = (Tool("sysbench", "sysbench"),)
    workloads = tuple(_LOCKING)
    usual = ("one_mutex",)
    usual_threads = 8
    threads_are = "threads"
    seconds = 2.0
    has_latencies = False
    #: Sections a second that are expected, by which a window gets its length; and where they are
    #: counted.
    _EXPECTED, _COUNTED = 30_000_000, 4_000_000

    def versions(self) -> str:
        return ask(["sysbench", "--version"]).strip()

    def window(self, stage: Stage, workload: str, threads: int, seconds: float) -> Done:
        locking = _LOCKING[workload]
        expected = self._COUNTED if stage.counts_locks else self._EXPECTED
        each = max(1, round(seconds * expected / (1 + locking.between / 20) / threads))
        words = [
            "sysbench",
            "mutex",
            f"--mutex-num={locking.mutexes}",
            f"--mutex-locks={each}",
            f"--mutex-loops={locking.between}",
            f"--threads={threads}",
            "run",
        ]
        loaded = stage.load(words, seconds)
        took = found_number(r"^[ \t]*total time:\s+([\d.]+)s", loaded.output, "sysbench")
        count = each * threads
        return self.done(count / max(took, 1e-4), count, (), loaded)


@dataclass(frozen=True)
class _Allocating:
    #: What jemalloc is told.
    configuration: str
    #: Of stress-ng, less how many threads.
    words: tuple[str, ...]
    threads_option: str


_ALLOCATING = {
    # Without thread caches each allocation takes the lock of the one arena.
    "one_arena": _Allocating(
        "tcache:false,narenas:1",
        ("--malloc", "1", "--malloc-bytes", "4K"),
        "--malloc-pthreads",
    ),
    "as_it_is": _Allocating("", ("--malloc", "1", "--malloc-bytes", "4K"), "--malloc-pthreads"),
    # Threads that come and go, each with caches that are made and given back.
    "thread_churn": _Allocating("", ("--pthread", "1"), "--pthread-max"),
}


class Allocations(Server):
    """stress-ng's threads allocate and free with jemalloc, whose locks are pthread mutexes, inside
    malloc: the lock that is measured must not allocate."""

    name = "allocations"
    question = "how fast do threads allocate with jemalloc, whose locks are pthread mutexes?"
    figure, unit = "operations_per_second", "operations/s"
    tools = (Tool("stress-ng", "stress-ng"),)
    workloads = tuple(_ALLOCATING)
    usual = ("one_arena",)
    usual_threads = 8
    threads_are = "threads"
    seconds = 2.0
    has_latencies = False

    def lacking(self) -> list[Tool]:
        jemalloc = [] if _jemalloc() else [Tool(_JEMALLOC, "libjemalloc2")]
        return [*super().lacking(), *jemalloc]

    def versions(self) -> str:
        return f"{ask(['stress-ng', '--version']).strip()}; {_jemalloc()}"

    def window(self, stage: Stage, workload: str, threads: int, seconds: float) -> Done:
        load = _ALLOCATING[workload]
        whole, told = max(1, round(seconds)), stage.folder / "told.yaml"
        words = [
            "stress-ng",
            *load.words,
            load.threads_option,
            str(threads),
            "--verify",
            "--timeout",
            f"{whole}s",
            "--metrics",
            "--yaml",
            str(told),
            "--temp-path",
            str(stage.folder),
        ]
        environment = {"LD_PRELOAD": str(_jemalloc()), "MALLOC_CONF": load.configuration}
        loaded = stage.load(words, whole, environment=environment)
        said = told.read_text(errors="replace") if told.is_file() else ""
        count = found_number(r"^[ \t]*bogo-ops: (\d+)$", said, "stress-ng")
        took = found_number(r"^[ \t]*wall-clock-time: ([\d.]+)$", said, "stress-ng")
        return self.done(count / took, count, (), loaded)


_JEMALLOC = "libjemalloc.so.2"


def _jemalloc() -> Path | None:
    for folder in ("/usr/lib", "/usr/lib64", "/usr/local/lib"):
        for found in sorted(Path(folder).glob(f"**/{_JEMALLOC}")):
            return found
    return None
