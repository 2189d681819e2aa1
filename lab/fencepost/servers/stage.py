# SPDX-License-Identifier: MIT
"""One window of a server: it is started on a lock, loaded, asked whether all is well, and ended."""

from __future__ import annotations

import contextlib
import os
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from fencepost import ROOT
from fencepost.measure.watched import Failed, ending, run_watched
from fencepost.run.locks import GLIBC, locks, unsound_locks
from fencepost.run.target import find_program
from fencepost.servers.child import Child
from fencepost.system.parent_death import die_with_parent

#: Seconds that a server may take to start, and to end.
START_PATIENCE, STOP_PATIENCE = 60.0, 60.0
#: Seconds that a question to a server may take.
ASK_PATIENCE = 120.0


@dataclass(frozen=True)
class Loaded:
    """What a load did: what its generator printed, how long it took, what the server used of the
    processors meanwhile, and what others did."""

    output: str
    elapsed: float
    others: float
    cpu: float
    switches: int


class Stage:
    """Raises Failed, in all it does, where something goes wrong."""

    def __init__(
        self, folder: Path, lock: str, patience: float | None, counts_locks: bool = False
    ) -> None:
        """`counts_locks`: into the file `counts`, which is there when the program has ended."""
        self.folder = folder
        self.lock = lock
        self.counts_locks = counts_locks
        self.counts = folder / "locks.json"
        self._patience = patience

    def on_lock(self, words: Sequence[str]) -> list[str]:
        """The command by which a program runs on the lock of this window."""
        unsound = ["--unsound"] if self.lock in unsound_locks() else []
        counting = ["--stats", str(self.counts)] if self.counts_locks else []
        lock = ["--lock", self.lock]
        return [str(ROOT / "fencepost"), "run", *unsound, *lock, *counting, "--", *words]

    @contextlib.contextmanager
    def server(
        self,
        words: Sequence[str],
        ready: Callable[[], bool],
        environment: Mapping[str, str] | None = None,
    ) -> Iterator[Child]:
        """A server on the lock, from when it is ready; with the block's end it is asked to end."""
        program = str(find_program(words[0]))
        child = Child(
            self.on_lock([program, *words[1:]]),
            self.folder,
            dict(os.environ, **(environment or {})),
            program,
        )
        try:
            child.wait_until(
                lambda: child.has_taken_over() and ready(), START_PATIENCE, "its start"
            )
            known = locks() | unsound_locks()
            if self.lock != GLIBC and not child.has_loaded(known[self.lock].library):
                raise Failed(f"{child.name} runs, but not on the lock {self.lock}")
            yield child
            child.stop(STOP_PATIENCE)
        finally:
            child.kill()

    def load(
        self,
        words: Sequence[str],
        seconds: float,
        server: Child | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> Loaded:
        """Runs a load generator until it is done. Without a server it is itself what is measured,
        and on the lock."""
        command = list(words) if server else self.on_lock(words)
        cpu = server.cpu_seconds() if server else 0.0
        switches = server.switches() if server else 0
        try:
            watched = run_watched(
                command,
                seconds,
                self._patience,
                environment=dict(os.environ, **(environment or {})),
                directory=self.folder,
                # Not every load generator notices that nobody answers any more.
                go_on=server.check_alive if server else None,
            )
        except Failed as failure:
            if server:
                server.check_alive()
            raise Failed(f"{Path(words[0]).name}: {failure}") from None
        if server:
            server.check_alive()
            cpu, switches = server.cpu_seconds() - cpu, server.switches() - switches
        matter = os.sched_getaffinity(0)
        busy = sum(watched.busy.get(one, 0.0) - watched.traffic.get(one, 0.0) for one in matter)
        others = max(0.0, busy - watched.own - cpu)
        if not server:
            cpu, switches = watched.cpu, watched.switches
        return Loaded(watched.output, watched.elapsed, others, cpu, switches)

    def ask(self, words: Sequence[str], text: str = "") -> str:
        """Runs a program that looks whether all is well; what it printed."""
        return ask(words, text, self.folder)


def ask(words: Sequence[str], text: str = "", folder: Path | None = None) -> str:
    """Runs a program with this text to read; what it printed. Raises Failed."""
    try:
        done = subprocess.run(
            words,
            input=text,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=ASK_PATIENCE,
            cwd=folder,
            preexec_fn=die_with_parent,
        )
    except OSError as problem:
        raise Failed(f"{words[0]} cannot be run: {problem.strerror}") from None
    except subprocess.TimeoutExpired:
        raise Failed(f"{Path(words[0]).name} did not end in {ASK_PATIENCE:g} s") from None
    if done.returncode != 0:
        last = (done.stderr + done.stdout).strip().splitlines()[-1:] or ["no message"]
        raise Failed(f"{Path(words[0]).name}: {ending(done.returncode)}: {last[0]}")
    return done.stdout
