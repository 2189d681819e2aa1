# SPDX-License-Identifier: MIT
"""Runs an instrumented program, which explores itself, and reads the JSON Lines it writes."""

from __future__ import annotations

import math
import os
import re
import selectors
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

from fencepost.binary.machines import machine_of
from fencepost.console.input_error import UnusableInput
from fencepost.console.progress import Progress
from fencepost.execution.consistency import result_of
from fencepost.execution.fields import Fields
from fencepost.execution.plain_accesses import with_plain_accesses
from fencepost.execution.schema import MOST_EVENTS, Exploration, TooLong
from fencepost.explore import sandbox
from fencepost.explore.cluster_task import NAME
from fencepost.system.json_text import in_words, parse_json
from fencepost.toolchain.build_program import OF_CLANG, OF_GCC
from fencepost.toolchain.toolchain import Program

#: A longer line is no answer; nor one of more values than its length lets be expected, which would
#: take much time and memory. Of a program that others wrote less is read.
MOST_LINE_BYTES = 1 << 28
MOST_LINE_BYTES_CONFINED = 1 << 24
BYTES_OF_A_VALUE = 4
#: Nor is so long a counterexample shown, of which the last step may depend on all the others.
MOST_EVENTS_CONFINED = 1 << 13

#: How often is looked at the time, and at what a confined program takes up.
LOOK_SECONDS = 0.1

#: How long a program may take to print its result once it was asked to stop.
GRACE_SECONDS = 5.0

EXIT_BAD_OPTIONS = 3
#: Those of the bounds that are numbers.
COUNTS = ("max_executions", "max_events", "unroll", "timeouts", "spurious", "weak_cas", "reuse")


@dataclass(frozen=True)
class Bounds:
    """What is explored, and how far. Zero means no limit."""

    model: str = "c++20"
    all: bool = False
    timeout: float = 0.0
    max_executions: int = 0
    max_events: int = 0
    #: How often each loop may turn with events.
    unroll: int = 0
    #: How often each thread may time out, wake for nothing, fail to compare and exchange, be given
    #: what it has freed.
    timeouts: int = 0
    spurious: int = 0
    weak_cas: int = 0
    reuse: int = 0
    reuse_all: bool = False
    no_reuse: bool = False
    no_membarrier: bool = False
    leaks: bool = False
    symmetry: bool = False
    daemons: bool = False
    any_exit_status: bool = False
    bounded_spins: bool = False
    no_bounded_spins: bool = False
    #: What is explored within `unroll` is enough.
    within_bounds: bool = False
    #: The program may do nothing but compute (sandbox.py).
    sandbox: bool = False
    dump: bool = False
    sites: bool = False
    #: With `sites`: what the executions have shown of each operation.
    coverage: bool = False
    #: Places of two accesses whose race has been told of: what else is there?
    known_races: tuple[tuple[int, int], ...] = ()
    #: Processes that explore.
    jobs: int = 1
    #: The file that what is left is kept in, and that the exploration goes on from.
    checkpoint: str = ""

    def words(self) -> str:
        """The bounds in words, as the program reads them from its environment."""
        words = [f"model={self.model}"]
        for name in ("timeout", *COUNTS):
            if value := getattr(self, name):
                words.append(f"{name}={value:g}" if name == "timeout" else f"{name}={value}")
        if self.jobs > 1 and not self.sandbox:
            words.append(f"jobs={self.jobs}")
        if self.known_races:
            races = ",".join(f"{one:x}-{other:x}" for one, other in self.known_races)
            words.append(f"known_races={races}")
        for name, value in vars(self).items():
            if value is True:
                words.append(f"{name}=1")
        return " ".join(words)


def _progress(message: dict[str, Any]) -> Progress:
    """Raises ValueError."""
    fields = Fields(message, "the progress")
    estimate = fields.figure("estimate") if fields.has("estimate") else None
    return Progress(
        fields.count("executions"), fields.count("blocked"), fields.figure("seconds"), estimate
    )


OnLine = Callable[[dict[str, Any]], None]


class Helpers(Protocol):
    """Those who explore parts of the search elsewhere."""

    @property
    def environment(self) -> dict[str, str]:
        """All that the program is to find in its environment."""

    @property
    def descriptors(self) -> list[int]:
        """What the program is to inherit."""

    def begin(self) -> None:
        """The program has been started."""


#: All that a process takes up: its pages, those that were moved to a disk, and the tables of pages.
_MEMORY = re.compile(r"^(?:VmRSS|VmSwap|VmPTE|HugetlbPages):\s*(\d+) kB$", re.MULTILINE)


def _memory_of(pid: int) -> int:
    """The bytes of memory that a process has taken up, 0 if it has ended."""
    try:
        text = Path(f"/proc/{pid}/status").read_text(errors="replace")
    except OSError:
        return 0
    return sum(map(int, _MEMORY.findall(text))) << 10


def _has_ended(process: subprocess.Popen[bytes]) -> bool:
    """Waits for it, but not for ever."""
    try:
        process.wait(LOOK_SECONDS)
    except subprocess.TimeoutExpired:
        return False
    return True


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


class Explorer:
    """One running exploration. `stop()` may be called from another thread or a signal handler."""

    def __init__(
        self,
        program: Program,
        bounds: Bounds,
        on_progress: Callable[[Progress], None] | None = None,
        on_execution: OnLine | None = None,
        orders: str = "",
        helpers: Helpers | None = None,
    ) -> None:
        self._program = program
        self._bounds = bounds
        self._on_progress = on_progress
        self._on_execution = on_execution
        self._orders = orders
        self._helpers = helpers
        self._stopped = False  # no Event: a second signal may come while the first sets it
        self._progress = Progress()
        self._result: dict[str, Any] | None = None
        self._killed_for = ""
        self._unreadable = b""  # the first line that is no answer
        self._longest_line = MOST_LINE_BYTES_CONFINED if bounds.sandbox else MOST_LINE_BYTES

    def stop(self) -> None:
        self._stopped = True

    def run(self) -> Exploration:
        started = time.monotonic()
        machine = machine_of(self._program.executable)
        launcher = machine.launcher() if machine else []
        executable = str(self._program.executable)
        # Its own name is among the things that a program may look at: the same every time.
        command = [*launcher, executable] if launcher else [NAME]
        if self._bounds.sandbox:
            if launcher:
                raise UnusableInput("--sandbox is for programs of this computer's processor")
            who = [str(os.getpid()), str(math.ceil(self._bounds.timeout))]
            command = [sys.executable, "-I", sandbox.__file__, *who, NAME, executable]
        command += self._program.arguments
        reader, writer = os.pipe()
        environment = dict(
            self._helpers.environment if self._helpers else os.environ,
            FENCEPOST_CHECK=f"{self._bounds.words()} fd={writer}",
            FENCEPOST_ORDERS=self._orders,
            FENCEPOST_CHECKPOINT=self._bounds.checkpoint,
        )
        with tempfile.TemporaryFile() as errors:
            try:
                process = subprocess.Popen(
                    command,
                    executable=None if launcher or self._bounds.sandbox else executable,
                    env=environment,
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=errors,
                    pass_fds=[writer, *(self._helpers.descriptors if self._helpers else ())],
                    start_new_session=True,  # the terminal's Ctrl-C reaches us, and we pass it on
                )
            except OSError as error:
                os.close(reader)
                raise UnusableInput(f"cannot be started: {error.strerror}") from None
            finally:
                os.close(writer)
            if self._helpers:
                self._helpers.begin()
            try:
                self._read(process, reader, started)
                status = process.wait()
            finally:
                os.close(reader)
                if process.poll() is None:
                    process.kill()
                    process.wait()
            errors.seek(0)
            said = errors.read(65536).decode(errors="replace").strip()
        if self._result is not None and not self._killed_for:
            try:
                most = MOST_EVENTS_CONFINED if self._bounds.sandbox else MOST_EVENTS
                found = result_of(self._result, most)
            except TooLong as problem:
                reason = f"there is {problem}, which is not read"
                if self._bounds.sandbox:
                    reason += " with --sandbox"
                return self._without_result(reason, time.monotonic() - started)
            except ValueError as problem:
                said = f"the program wrote what is no result of the checker's: {in_words(problem)}"
                return self._without_result(said, time.monotonic() - started)
            violation = found.violation and with_plain_accesses(found.violation)
            assumptions = (*found.assumptions, *self._program.assumptions)
            reason = sandbox.with_names(found.reason)
            verdict = found.verdict
            if verdict == "holds" and self._unreadable:
                # Who writes there may have written over what the checker says, or instead of it.
                verdict, reason = "inconclusive", f"the program writes{self._among_results()}"
            return replace(
                found,
                verdict=verdict,
                violation=violation,
                assumptions=assumptions,
                usual=found.usual | {OF_CLANG, OF_GCC},
                reason=reason,
            )
        if status == EXIT_BAD_OPTIONS:
            raise UnusableInput(said or "the checker refused its options")
        return self._without_result(self._why_ended(status, said), time.monotonic() - started)

    def _read(self, process: subprocess.Popen[bytes], reader: int, started: float) -> None:
        deadline = started + self._bounds.timeout + GRACE_SECONDS if self._bounds.timeout else None
        asked_at: float | None = None
        pending = bytearray()
        with selectors.DefaultSelector() as selector:
            selector.register(reader, selectors.EVENT_READ)
            while True:
                now = time.monotonic()
                if asked_at is None and (
                    self._stopped or (deadline is not None and now > deadline)
                ):
                    process.send_signal(signal.SIGINT)
                    asked_at = now
                if asked_at is not None and now > asked_at + GRACE_SECONDS:
                    process.kill()
                    return
                if self._bounds.sandbox and _memory_of(process.pid) > sandbox.MOST_MEMORY:
                    self._killed_for = (
                        "the program was stopped by --sandbox: it uses more than "
                        f"{sandbox.MOST_MEMORY >> 20:,} MiB of memory"
                    )
                if self._killed_for:
                    process.kill()
                    return
                if not selector.get_map():
                    if _has_ended(process):
                        return
                    continue
                if not selector.select(timeout=LOOK_SECONDS):
                    if process.poll() is not None and not selector.select(timeout=0):
                        return  # it has ended, though something still holds its pipe
                    continue
                data = os.read(reader, 1 << 16)
                if not data:
                    self._unreadable = self._unreadable or bytes(pending)
                    selector.unregister(reader)  # who closes it need not end
                    continue
                pending += data
                if b"\n" in data:
                    *lines, rest = bytes(pending).split(b"\n")
                    pending = bytearray(rest)
                    for line in lines:
                        self._take(line)
                elif len(pending) > self._longest_line:
                    self._killed_for = "the program writes a line without end where results go"

    def _take(self, line: bytes) -> None:
        try:
            most = self._longest_line // BYTES_OF_A_VALUE
            message = parse_json(line.decode(errors="replace"), most)
        except ValueError:
            message = None
        if not isinstance(message, dict):
            self._unreadable = self._unreadable or line
            return  # cut short by the end of the program, or written by it: no result either way
        kind = message.get("type")
        if kind == "progress":
            try:
                self._progress = _progress(message)
            except ValueError:
                self._unreadable = self._unreadable or line  # nor is this the checker's
                return
            if self._on_progress:
                self._on_progress(self._progress)
        elif kind == "execution" and self._on_execution:
            self._on_execution(message)
        elif kind == "result" and self._result is None:
            self._result = message
        elif kind not in ("execution", "begins-anew"):
            self._unreadable = self._unreadable or line

    def _among_results(self) -> str:
        shown = self._unreadable[:200].decode(errors="backslashreplace")
        return f" among its results what is none: '{shown}'"

    def _why_ended(self, status: int, said: str) -> str:
        """In words, of a program that is gone and never said what it found."""
        if self._killed_for:
            reason = self._killed_for
        elif self._stopped:
            reason = "interrupted"
        elif status in (-signal.SIGKILL, -signal.SIGINT) and self._bounds.timeout:
            reason = (
                f"the time limit of {self._bounds.timeout:g} s was met, and the program did not "
                "answer: a thread may run for ever without an instrumented access"
            )
        elif status < 0:
            reason = f"the program died of {_signal_name(-status)} while it was explored"
            if self._bounds.sandbox and -status == signal.SIGSYS:
                reason += ", for a system call that --sandbox does not allow"
        else:
            reason = f"the program ended with status {status} before the exploration did"
        if self._unreadable and not self._stopped:
            reason += f"; it wrote{self._among_results()}"
        if said and not self._stopped:
            reason += f"; it last said: {said.splitlines()[-1][:200]}"
        return reason

    def _without_result(self, reason: str, seconds: float) -> Exploration:
        """That is not a verdict."""
        return Exploration(
            model=self._bounds.model,
            verdict="inconclusive",
            executions=self._progress.executions,
            blocked=self._progress.blocked,
            seconds=round(seconds, 3),
            reason=reason,
        )
