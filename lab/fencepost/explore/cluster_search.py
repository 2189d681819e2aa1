# SPDX-License-Identifier: MIT
"""One search whose parts are explored by the workers of a cluster.

The program itself shares out the search: it hands parts of it over channels, one at a time each,
and counts a part when its answer comes (checker/search/workers/worker_pool.hpp). Here each part
becomes a task of Dask's, and the task's answer goes back over the same channel. So whatever happens
to a task, a worker or the whole cluster, what has not been answered has not been counted and is
still to be done.

A task explores for a while and gives back what is left. While there are fewer parts than the
workers could use that while is short, and what is left comes back as two parts.
"""

from __future__ import annotations

import asyncio
import os
import selectors
import socket
import struct
import subprocess
import threading
import time
import uuid
from collections import deque
from collections.abc import Callable
from concurrent.futures import CancelledError
from dataclasses import dataclass, replace
from typing import Any

from fencepost.binary.machines import machine_of
from fencepost.binary.object_symbols import undefined_symbols
from fencepost.console.input_error import Unsupported, UnusableInput
from fencepost.explore.cluster import FORGET_SECONDS, Cluster
from fencepost.explore.cluster_task import HEADER, MISSING, NAME, REFUSED, Answer, Job
from fencepost.explore.run_program import Bounds
from fencepost.system.worker_threads import WorkerThreads
from fencepost.toolchain.toolchain import Program

#: Lines to the program: as many parts can be away from it at a time.
LINES = 256
#: Seconds that a task explores: as long as there is not enough to do for everybody, and then.
QUICK_SECONDS, LONG_SECONDS = 0.25, 2.0
#: Processes that may die over one part before it is thought to be to blame.
MOST_DEATHS = 3
#: Seconds between two looks at who is there, and how long nobody may be.
WATCH_SECONDS, ALONE_SECONDS = 1.0, 30.0
#: Seconds that the answer of a task that is done may take to arrive.
GATHER_SECONDS = 60.0

#: Messages (checker/search/workers/channel.hpp): nobody can explore any more, and why; and those
#: that an answer ends with.
NOBODY = 6
LAST = (1, 2, 7)
_HEADER = struct.Struct(HEADER)

#: What a program may call to learn about the computer, of which there are several.
_ASKS_THE_COMPUTER = {
    "sysconf": "sysconf()",
    "get_nprocs": "get_nprocs()",
    "get_nprocs_conf": "get_nprocs_conf()",
    "_ZNSt6thread20hardware_concurrencyEv": "std::thread::hardware_concurrency()",
}


@dataclass
class _Part:
    channel: socket.socket
    item: bytes
    workers: frozenset[str] = frozenset()
    future: Any = None
    deaths: int = 0


def environment() -> dict[str, str]:
    """What the program finds in its environment, here and at every worker: it may look at it."""
    return {name: os.environ[name] for name in ("LD_LIBRARY_PATH",) if name in os.environ}


class ClusterSearch:
    """Offers its channels as run_program.Helpers does."""

    def __init__(self, cluster: Cluster, program: Program, bounds: Bounds) -> None:
        machine = machine_of(program.executable)
        if machine and not machine.is_here:
            raise UnusableInput(f"--cluster: a program for {machine.title} cannot be run here")
        called = {name.partition("@")[0] for name in undefined_symbols(program.executable)}
        if asked := called & _ASKS_THE_COMPUTER.keys():
            raise Unsupported(
                f"'{_ASKS_THE_COMPUTER[min(asked)]}' asks the computer, and those of a cluster may "
                "answer differently (use --jobs)"
            )
        self._cluster = cluster
        self._program = program
        search = replace(bounds, timeout=0.0, max_executions=0, jobs=1, checkpoint="")
        self._job = Job(
            f"fencepost-{uuid.uuid4().hex}", search.words(), environment(), program.arguments
        )
        self._keeps = bool(bounds.checkpoint)
        self._lock = threading.RLock()
        self._speaking = threading.Lock()
        self._slots: dict[str, int] = {}  # of the workers that take part
        self._waiting: deque[_Part] = deque()
        self._away: dict[socket.socket, _Part] = {}
        self._ours: list[socket.socket] = []
        self._its: list[socket.socket] = []
        self._tasks = 0
        self._given_up = False
        self._over = threading.Event()
        self._gather = WorkerThreads(8, "gather")
        self._threads: list[threading.Thread] = []

    # ---- what the one who runs the program needs

    @property
    def environment(self) -> dict[str, str]:
        channels = " ".join(str(channel.fileno()) for channel in self._its)
        return {**environment(), "FENCEPOST_CHANNELS": channels}

    @property
    def descriptors(self) -> list[int]:
        return [channel.fileno() for channel in self._its]

    def begin(self) -> None:
        """The program has been started, and has its ends of the channels."""
        self._close(self._its)
        for work in (self._read, self._watch):
            thread = threading.Thread(target=work, daemon=True)
            thread.start()
            self._threads.append(thread)

    def describe(self) -> str:
        with self._lock:
            workers, tasks = len(self._slots), self._tasks
        return f"{workers} worker{'s' if workers != 1 else ''}, {tasks} tasks"

    def __enter__(self) -> ClusterSearch:
        self._job = self._job._replace(
            environment={**self._job.environment, "FENCEPOST_IDENTITY": self._identity()}
        )
        self._executable = self._program.executable.read_bytes()
        try:
            self._admit(self._cluster.threads())
        except Exception as error:
            raise UnusableInput(self._vanished(error)) from None
        if not self._slots:
            reasons = "; ".join(sorted(set(self._cluster.left_out.values())))
            raise UnusableInput(
                f"no worker of the cluster at {self._cluster.address} can take part: {reasons}"
            )
        for _ in range(LINES):
            ours, its = socket.socketpair()
            self._ours.append(ours)
            self._its.append(its)
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        with self._lock:
            self._waiting.clear()
            for part in list(self._away.values()):
                self._drop(part)
        for channel in self._ours:
            channel.close() if not self._threads else self._shut(channel)
        for thread in self._threads:
            thread.join(FORGET_SECONDS)  # one of them may wait for a scheduler that has vanished
        self._gather.shutdown(wait=False, cancel_futures=True)
        self._close(self._ours)
        self._close(self._its)
        try:
            self._cluster.forget(self._job, list(self._slots))
        except Exception:
            return  # the cluster has vanished, and with it what was there

    @staticmethod
    def _close(channels: list[socket.socket]) -> None:
        for channel in channels:
            channel.close()
        channels.clear()

    @staticmethod
    def _shut(channel: socket.socket) -> None:
        try:
            channel.shutdown(socket.SHUT_RDWR)
        except OSError:
            return  # it has been closed at the other end

    def _identity(self) -> str:
        """What a worker's process must have in common with one here."""
        done = subprocess.run(
            [NAME, *self._job.arguments],
            executable=self._program.executable,
            env={**self._job.environment, "FENCEPOST_CHECK": f"{self._job.words} identify=1"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="surrogateescape",
        )
        if done.returncode:
            raise UnusableInput(f"--cluster: {done.stderr.strip() or 'the program does not start'}")
        return done.stdout

    # ---- from the program to the cluster

    def _read(self) -> None:
        with selectors.DefaultSelector() as selector:
            for channel in self._ours:
                selector.register(channel, selectors.EVENT_READ)
            while selector.get_map():
                for key, _ in selector.select():
                    self._hear(selector, key.fileobj)

    def _hear(self, selector: selectors.BaseSelector, channel: Any) -> None:
        item = _receive(channel)
        with self._lock:
            if item is not None:
                self._waiting.append(_Part(channel, item))
                self._hand_out()
                return
            selector.unregister(channel)
            if part := self._away.get(channel):
                self._drop(part)

    def _hand_out(self) -> None:
        """Makes tasks of parts: two for each that can be done at a time, so that nobody waits."""
        slots = sum(self._slots.values())
        while self._waiting and len(self._away) < 2 * slots and not self._given_up:
            part = self._waiting.popleft()
            known = len(self._waiting) + len(self._away) + 1
            seconds = QUICK_SECONDS if known < 2 * slots else LONG_SECONDS
            words = f"part_seconds={seconds} split={int(known < 4 * slots)} seed={self._tasks}"
            self._tasks += 1
            self._away[part.channel] = part
            part.workers = frozenset(self._slots)
            key = f"{self._job.directory}-{self._tasks}"
            try:
                future = self._cluster.submit(
                    key, sorted(part.workers), self._job, words, part.item
                )
            except Exception as error:
                self._give_up(self._vanished(error))
                return
            part.future = future
            future.add_done_callback(
                lambda future, part=part: self._later(self._arrived, part, future)
            )

    def _drop(self, part: _Part) -> None:
        """Nobody waits for its answer any more."""
        del self._away[part.channel]
        future, part.future = part.future, None
        if future is not None:
            try:
                self._cluster.cancel(future)
            except Exception:
                return  # there is no cluster any more that could be told

    # ---- from the cluster to the program

    def _later(self, what: Callable[..., None], *arguments: Any) -> None:
        try:
            self._gather.submit(what, *arguments)
        except RuntimeError:
            return  # the search is over

    def _arrived(self, part: _Part, future: Any) -> None:
        if part.future is not future:
            return
        try:
            answer = Answer(*future.result(timeout=GATHER_SECONDS))
        except (CancelledError, asyncio.CancelledError, OSError, TimeoutError) as error:
            self._give_up(self._vanished(error), part, future)
            return
        except Exception as error:
            self._give_up(_failure(error), part, future)
            return
        with self._lock:
            if part.future is not future:
                return
            del self._away[part.channel]
            part.future = None
            if answer.status != 0 or not _is_whole(answer.said):
                self._again(part, answer)
                return
            self._hand_out()
        self._say(part.channel, answer.said)

    def _again(self, part: _Part, answer: Answer) -> None:
        """It was not explored, or not to the end."""
        if answer.status in (REFUSED, MISSING):
            self._slots.pop(answer.worker, None)
            if answer.status == REFUSED:
                self._cluster.leave_out(answer.worker, answer.complaint)
        else:
            part.deaths += 1
        if part.deaths < MOST_DEATHS:
            self._waiting.appendleft(part)
            self._hand_out()
            return
        how = f"signal {-answer.status}" if answer.status < 0 else f"status {answer.status}"
        self._give_up(
            f"{MOST_DEATHS} processes died, one after another, over the same part of the search "
            f"({how}, at last at {answer.worker}): is there too little memory?"
        )

    def _say(self, channel: socket.socket, message: bytes) -> bool:
        with self._speaking:
            try:
                channel.sendall(message)
            except OSError:
                return False  # the program does not listen any more
        return True

    def _give_up(self, reason: str, part: _Part | None = None, future: Any = None) -> None:
        """Nobody can go on. What a future says counts only while it is still that of its part."""
        with self._lock:
            if self._given_up or (part is not None and part.future is not future):
                return
            self._given_up = True
            self._waiting.clear()
            for each in list(self._away.values()):
                self._drop(each)
        advice = "" if self._keeps else " (with --checkpoint FILE, what is left would be kept)"
        text = (reason[:180] + advice).encode() + b"\0"
        # By another thread: who calls this may hold up the one that reads what the program says.
        self._later(self._say_once, _HEADER.pack(NOBODY, len(text)) + text)

    def _say_once(self, message: bytes) -> None:
        """Over whichever channel there is."""
        any(self._say(channel, message) for channel in list(self._ours))

    def _vanished(self, error: BaseException) -> str:
        return f"the cluster at {self._cluster.address} has vanished: {error}"

    # ---- who is there

    def _watch(self) -> None:
        last_seen = time.monotonic()
        while not self._over.wait(WATCH_SECONDS):
            try:
                self._admit(self._cluster.threads())
            except Exception as error:
                self._give_up(self._vanished(error))
                return
            if self._slots:
                last_seen = time.monotonic()
            elif time.monotonic() > last_seen + ALONE_SECONDS:
                self._give_up(f"no worker of the cluster is left, for {ALONE_SECONDS:g} s")
                return

    def _admit(self, there: dict[str, int]) -> None:
        with self._lock:
            self._slots = {worker: there[worker] for worker in self._slots if worker in there}
            new = sorted(there.keys() - self._slots.keys() - self._cluster.left_out.keys())
        fit = self._cluster.prepare(self._job, self._executable, new) if new else []
        with self._lock:
            self._slots |= {worker: there[worker] for worker in fit}
            for part in list(self._away.values()):
                if part.workers.isdisjoint(self._slots):
                    self._drop(part)
                    self._waiting.appendleft(part)
            self._hand_out()


def _receive(channel: socket.socket) -> bytes | None:
    """The next part that comes over a channel; None: nothing comes any more."""
    try:
        header = channel.recv(_HEADER.size, socket.MSG_WAITALL)
        if len(header) < _HEADER.size:
            return None
        _, size = _HEADER.unpack(header)
        item = bytearray()
        while len(item) < size and (piece := channel.recv(size - len(item))):
            item += piece
    except OSError:
        return None
    return bytes(item) if len(item) == size else None


def _is_whole(said: bytes) -> bool:
    """Are these messages, and the last one the last of an answer?"""
    at, kind = 0, None
    while at + _HEADER.size <= len(said):
        kind, size = _HEADER.unpack_from(said, at)
        at += _HEADER.size + size
    return at == len(said) and kind in LAST


def _failure(error: Exception) -> str:
    if type(error).__name__ == "KilledWorker":
        return (
            "several workers died, one after another, over the same part of the search: is there "
            "too little memory?"
        )
    return f"a task failed at a worker: {type(error).__name__}: {error}"[:250]
