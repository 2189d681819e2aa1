# SPDX-License-Identifier: MIT
"""Searches shared by real schedulers and workers, each a process of its own."""

from __future__ import annotations

import os
import selectors
import signal
import socket
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from exploring import as_text
from fencepost.execution.schema import Exploration
from fencepost.explore.cluster import ByValue, Cluster
from fencepost.explore.cluster_search import ClusterSearch
from fencepost.explore.run_program import Bounds, Explorer
from fencepost.toolchain.toolchain import Program

#: What a hang would take: far more than any of these tests.
NEVER_SECONDS = 200

SCHEDULER = """
import asyncio
from distributed import Scheduler
async def main():
    async with Scheduler(host="127.0.0.1", port=0, dashboard=False) as scheduler:
        print(scheduler.address, flush=True)
        await scheduler.finished()
asyncio.run(main())
"""
WORKER = """
import asyncio, sys
from distributed import Worker, versions
if len(sys.argv) > 3:
    known = versions.get_package_info
    versions.get_package_info = lambda names: {**known(names), "distributed": sys.argv[3]}
async def main():
    async with Worker(sys.argv[1], nthreads=1, local_directory=sys.argv[2]) as worker:
        print(worker.address, flush=True)
        await worker.finished()
asyncio.run(main())
"""


@dataclass
class Started:
    """A process of Dask's that has said its address."""

    process: subprocess.Popen[str]
    address: str


@contextmanager
def _started(code: str, *arguments: str | Path) -> Iterator[Started]:
    process = subprocess.Popen(
        [sys.executable, "-c", code, *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env={name: value for name, value in os.environ.items() if name != "PYTHONPATH"},
    )
    assert process.stdout
    try:
        yield Started(process, process.stdout.readline().strip())
    finally:
        process.kill()
        process.communicate()


@contextmanager
def scheduler() -> Iterator[Started]:
    with _started(SCHEDULER) as it:
        yield it


@contextmanager
def worker(of: str, directory: Path, version: str = "") -> Iterator[Started]:
    """Works for this scheduler; says that Dask is of another version, if asked to."""
    with _started(WORKER, of, directory, *([version] if version else [])) as it:
        yield it


class Network:
    """Between a client and its scheduler, until it goes silent: then connections stay as they are,
    new ones are taken, and nothing comes through any more."""

    def __init__(self, scheduler: str) -> None:
        host, _, port = scheduler.removeprefix("tcp://").rpartition(":")
        self._there = (host, int(port))
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"tcp://127.0.0.1:{self._listener.getsockname()[1]}"
        self._end, self._ended = socket.socketpair()
        self._other: dict[socket.socket, socket.socket] = {}
        self._thread = threading.Thread(target=self._forward, daemon=True)
        self._thread.start()

    def go_silent(self) -> None:
        self._end.close()
        self._thread.join()

    def close(self) -> None:
        self.go_silent()
        for each in (*self._other, self._listener, self._ended):
            each.close()

    def _forward(self) -> None:
        with selectors.DefaultSelector() as selector:
            selector.register(self._listener, selectors.EVENT_READ)
            selector.register(self._ended, selectors.EVENT_READ)
            while True:
                ready = [key.fileobj for key, _ in selector.select()]
                if self._ended in ready:
                    return
                for one in ready:
                    if one is self._listener:
                        for each in self._connect():
                            selector.register(each, selectors.EVENT_READ)
                    elif one in self._other and not self._pass_on(one):
                        for each in (one, self._other[one]):
                            selector.unregister(each)
                            del self._other[each]
                            each.close()

    def _connect(self) -> tuple[socket.socket, ...]:
        ours, _ = self._listener.accept()
        try:
            theirs = socket.create_connection(self._there)
        except OSError:
            ours.close()
            return ()
        self._other |= {ours: theirs, theirs: ours}
        return ours, theirs

    def _pass_on(self, one: socket.socket) -> bool:
        try:
            piece = one.recv(1 << 16)
            self._other[one].sendall(piece)
        except OSError:
            return False
        return bool(piece)


@contextmanager
def network(scheduler: str) -> Iterator[Network]:
    it = Network(scheduler)
    try:
        yield it
    finally:
        it.close()


@contextmanager
def no_longer_than(seconds: int) -> Iterator[None]:
    """Fails a test that hangs, and tells where."""

    def fail(*_: object) -> None:
        raise AssertionError(f"it has not ended within {seconds} s")

    previous = signal.signal(signal.SIGALRM, fail)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, previous)


@dataclass
class Parties:
    scheduler: Started
    worker: Started

    def go_on(self) -> None:
        """Those that were stopped."""
        for each in (self.scheduler, self.worker):
            each.process.send_signal(signal.SIGCONT)


Loss = Callable[[Parties, Network], None]


def silence(_: Parties, between: Network) -> None:
    between.go_silent()


def stop_scheduler(those: Parties, _: Network) -> None:
    those.scheduler.process.send_signal(signal.SIGSTOP)


def stop_worker(those: Parties, _: Network) -> None:
    those.worker.process.send_signal(signal.SIGSTOP)


def kill_scheduler(those: Parties, _: Network) -> None:
    those.scheduler.process.kill()
    those.scheduler.process.wait()


def kill_worker(those: Parties, _: Network) -> None:
    those.worker.process.kill()
    those.worker.process.wait()


STOPS = (silence, stop_scheduler, stop_worker)
KILLS = (kill_scheduler, kill_worker)


@dataclass(frozen=True)
class Small(Bounds):
    """Shares the search out from the second run on, a few runs a task."""

    runs: int = 500

    def words(self) -> str:
        return f"{super().words()} alone=1 part_runs={self.runs}"


class Shared(ClusterSearch):
    """One search, and what it finds; tests say what else happens."""

    def __init__(self, cluster: Cluster, executable: Path, bounds: Bounds) -> None:
        program = Program(executable, ())
        super().__init__(cluster, program, bounds)
        self.executions: Counter[str] = Counter()
        self.explorer = Explorer(program, bounds, on_execution=self._note, helpers=self)

    def _note(self, message: dict[str, Any]) -> None:
        self.executions[as_text(message)] += 1

    def found(self) -> Exploration:
        with self:
            return self.explorer.run()


class Interrupted(Shared):
    """Ctrl-C comes with the third answer, and no other answer after that."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._answers = 0
        self._counting = threading.Lock()

    def _say(self, line: Any, message: bytes) -> bool:
        with self._counting:
            self._answers += 1
            number = self._answers
        if number == 3:
            self.explorer.stop()
        return number <= 3 and super()._say(line, message)


def counters(found: Exploration) -> tuple[str, int, int, int]:
    return found.verdict, found.executions, found.blocked, found.violations


def set_trap(token: str, whom: int, after: int) -> None:
    """At a worker: when so many processes have been started for tasks, the first one after that
    takes the file `token` away if it is there, and whom the trap is for: this worker (0), the
    process itself (-1), or another process."""
    real = subprocess.Popen
    left = after

    class Trapped(real):  # type: ignore[valid-type, misc]
        def __init__(self, *arguments: Any, **more: Any) -> None:
            nonlocal left
            super().__init__(*arguments, **more)
            left -= 1
            if left > 0:
                return
            try:
                os.unlink(token)  # noqa: PTH108
            except FileNotFoundError:
                return
            os.kill({0: os.getpid(), -1: self.pid}.get(whom, whom), signal.SIGKILL)

    subprocess.Popen = Trapped  # type: ignore[misc]


def trap(cluster: Cluster, token: Path, whom: int, after: int = 3) -> None:
    token.touch()
    cluster._client.run(ByValue(set_trap), str(token), whom, after)
