# SPDX-License-Identifier: MIT
"""A server that runs while something else loads it: started, looked at, and ended in any case."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from fencepost.measure.watched import Failed, ending, run_ahead_of_other_sessions
from fencepost.system.parent_death import die_with_parent

#: How often it is asked whether something has come about, in seconds.
_INTERVAL = 0.005
#: Seconds that one who stays beside the program may take to end after it.
_LAST_WORDS = 10.0


class Child:
    """A process in a session of its own, so that the terminal's Ctrl-C is ours alone; dies with
    us."""

    def __init__(
        self,
        words: Sequence[str],
        directory: Path,
        environment: Mapping[str, str] | None = None,
        takes_over: str = "",
    ) -> None:
        """`takes_over`: the program that in the end runs, where `words` begin with one that makes
        way for it, or that starts it and stays. Raises Failed."""
        self._said = directory / "said.txt"
        self._takes_over = takes_over
        self.name = Path(takes_over or words[0]).name
        with self._said.open("wb") as said:
            try:
                self._process = subprocess.Popen(
                    words,
                    stdin=subprocess.DEVNULL,
                    stdout=said,
                    stderr=said,
                    cwd=directory,
                    env=environment,
                    start_new_session=True,
                    preexec_fn=die_with_parent,
                )
            except OSError as problem:
                raise Failed(f"{words[0]} cannot be run: {problem.strerror}") from None
        #: The process that is the program, once it has taken over.
        self.pid = self._process.pid
        run_ahead_of_other_sessions(self.pid)

    def said(self) -> str:
        with contextlib.suppress(OSError):
            return self._said.read_text(errors="replace")
        return ""

    def last_words(self) -> str:
        lines = self.said().strip().splitlines()
        return lines[-1].strip() if lines else "no message"

    def wait_until(self, ready: Callable[[], bool], patience: float, what: str) -> None:
        """Raises Failed where it ends before, or is not ready after so many seconds."""
        until = time.monotonic() + patience
        while not ready():
            if self._process.poll() is not None:
                raise Failed(f"{self.name} {self._how_it_ended()}: {self.last_words()}")
            if time.monotonic() > until:
                raise Failed(f"{self.name}: {what} took more than {patience:g} s")
            time.sleep(_INTERVAL)

    def _how_it_ended(self) -> str:
        return f"ended ({ending(self._process.returncode)})"

    def has_taken_over(self) -> bool:
        """Whether it is the program itself by now."""
        program = os.path.realpath(self._takes_over)
        started = self._process.pid
        with contextlib.suppress(OSError):
            children = Path(f"/proc/{started}/task/{started}/children").read_text().split()
            for pid in (started, *map(int, children)):
                if str(Path(f"/proc/{pid}/exe").readlink()) == program:
                    self.pid = pid
                    return True
        return False

    def has_loaded(self, library: Path) -> bool:
        with contextlib.suppress(OSError):
            return str(library.resolve()) in Path(f"/proc/{self.pid}/maps").read_text()
        return False

    def check_alive(self) -> None:
        """Raises Failed."""
        if not self._has_memory():
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(_LAST_WORDS)
        if self._process.poll() is not None:
            raise Failed(f"{self.name} {self._how_it_ended()}: {self.last_words()}")

    def _has_memory(self) -> bool:
        """Who dies gives its memory up before its connections, and is waited for after both."""
        try:
            Path(f"/proc/{self.pid}/exe").readlink()
        except PermissionError:
            return True
        except OSError:
            return False
        return True

    def cpu_seconds(self) -> float:
        """CPU time of all the process's threads in seconds, those that have ended too. Raises
        Failed."""
        try:
            # As clock_getcpuclockid(3) does it: a process's number, and the clock of the scheduler.
            return time.clock_gettime((~self.pid << 3) | 2)
        except OSError:
            self.check_alive()
            raise Failed(f"{self.name}: its CPU time cannot be read") from None

    def switches(self) -> int:
        """Context switches of the threads that it has, wanted or not."""
        count = 0
        for task in Path(f"/proc/{self.pid}/task").glob("*/status"):
            with contextlib.suppress(OSError):
                for line in task.read_text().splitlines():
                    if "ctxt_switches" in line:
                        count += int(line.split()[1])
        return count

    def stop(self, patience: float) -> None:
        """Asks it to end. Raises Failed where it does not, or not well."""
        self.check_alive()
        self._process.send_signal(signal.SIGTERM)
        try:
            status = self._process.wait(patience)
        except subprocess.TimeoutExpired:
            raise Failed(f"{self.name} did not end in {patience:g} s when asked to") from None
        if status not in (0, -signal.SIGTERM):
            raise Failed(f"{self.name} {self._how_it_ended()}: {self.last_words()}")

    def kill(self) -> None:
        """It and what it has started; whatever has become of it."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
