# SPDX-License-Identifier: MIT
"""Runs a program as a child that is as little in its way as can be: it gets the signals that we
get, stops and goes on with us, and we end as it ended."""

from __future__ import annotations

import os
import resource
import signal
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from fencepost.console.input_error import UnusableInput
from fencepost.system.parent_death import die_with_parent

#: si_code of what the kernel sends by itself, as for Ctrl-C: then the program has it already, for
#: it is in our process group.
_SI_KERNEL = 0x80

#: What a process does to itself; and what it cannot wait for.
_OWN = {
    signal.SIGSEGV,
    signal.SIGBUS,
    signal.SIGFPE,
    signal.SIGILL,
    signal.SIGTRAP,
    signal.SIGSYS,
    signal.SIGABRT,
    signal.SIGKILL,
    signal.SIGSTOP,
    signal.SIGTTIN,
    signal.SIGTTOU,
}

#: What a terminal or a shell stops a job with: then we stop as well, so that the shell notices.
_JOB_STOPS = {signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU}

#: Python ignores these, which a child would inherit.
_IGNORED_BY_PYTHON = (signal.SIGPIPE, signal.SIGXFSZ)


def restore_signals() -> None:
    """Before another program is executed in the place of this one: it ignores what our caller does.
    The launcher has looked."""
    ignored = int(str(sys._xoptions.get("ignored_signals", "0")), 16)
    for number in _IGNORED_BY_PYTHON:
        if not ignored >> (number - 1) & 1:
            signal.signal(number, signal.SIG_DFL)


class Child:
    """A program that runs under us. Raises UnusableInput where it cannot be started."""

    def __init__(
        self,
        program: Path,
        words: Sequence[str],
        environment: Mapping[str, str],
        outputs: tuple[int, int, int] | None = None,
    ) -> None:
        """`outputs`: what becomes its standard input, output and errors."""
        self.status: int | None = None
        self.signal: int | None = None
        self._waited_for = set(signal.valid_signals()) - _OWN
        self._before = signal.pthread_sigmask(signal.SIG_BLOCK, self._waited_for)
        self.began = self.ended = time.monotonic()
        reader, writer = os.pipe()
        sys.stdout.flush()
        sys.stderr.flush()
        self.pid = os.fork()
        if self.pid == 0:
            self._become(program, words, environment, outputs, writer)
        os.close(writer)
        trouble = os.read(reader, 16)  # at its end when the program has taken the child's place
        os.close(reader)
        if trouble:
            os.waitpid(self.pid, 0)
            signal.pthread_sigmask(signal.SIG_SETMASK, self._before)
            raise UnusableInput(f"{program} cannot be executed: {os.strerror(int(trouble))}")

    def _become(
        self,
        program: Path,
        words: Sequence[str],
        environment: Mapping[str, str],
        outputs: tuple[int, int, int] | None,
        writer: int,
    ) -> None:
        number = 1
        try:
            die_with_parent()
            restore_signals()
            signal.pthread_sigmask(signal.SIG_SETMASK, self._before)
            for at, descriptor in enumerate(outputs or ()):
                os.dup2(descriptor, at)
            os.execve(program, list(words), environment)
        except OSError as trouble:
            number = trouble.errno or 1
        finally:
            os.write(writer, str(number).encode())
            os._exit(127)

    @property
    def runs(self) -> bool:
        return self.status is None and self.signal is None

    @property
    def seconds(self) -> float:
        return (time.monotonic() if self.runs else self.ended) - self.began

    def wait(self, when_asked: Callable[[], None], timeout: float | None = None) -> None:
        """Until it has ended or the time is up. SIGUSR1 is ours and calls `when_asked`; all other
        signals are passed on."""
        until = None if timeout is None else time.monotonic() + timeout
        while self.runs:
            if until is None:
                got = signal.sigwaitinfo(self._waited_for)
            else:
                left = signal.sigtimedwait(self._waited_for, max(0.0, until - time.monotonic()))
                if left is None:
                    return
                got = left
            if got.si_signo == signal.SIGCHLD:
                self._notice()
            elif got.si_signo == signal.SIGUSR1:
                when_asked()
            elif got.si_code != _SI_KERNEL and got.si_pid != self.pid:
                self.send(got.si_signo)

    def send(self, number: int) -> None:
        with suppress(ProcessLookupError, PermissionError):
            os.kill(self.pid, number)

    def _notice(self) -> None:
        while self.runs:
            pid, status = os.waitpid(self.pid, os.WNOHANG | os.WUNTRACED)
            if pid == 0:
                return
            if os.WIFSTOPPED(status):
                if os.WSTOPSIG(status) in _JOB_STOPS:
                    os.kill(os.getpid(), signal.SIGSTOP)
                    self.send(signal.SIGCONT)
                continue
            self.ended = time.monotonic()
            if os.WIFSIGNALED(status):
                self.signal = os.WTERMSIG(status)
            else:
                self.status = os.WEXITSTATUS(status)
            # A Ctrl-C that ended it was ours too, and is done with.
            while signal.sigtimedwait(self._waited_for, 0) is not None:
                pass
            signal.pthread_sigmask(signal.SIG_SETMASK, self._before)

    @property
    def signal_name(self) -> str | None:
        if self.signal is None:
            return None
        with suppress(ValueError):
            return signal.Signals(self.signal).name
        return f"signal {self.signal}"

    def leave_as_it_did(self) -> int:
        """Its exit status; does not return where a signal killed it, for that kills us too."""
        if self.signal is None:
            return self.status or 0
        sys.stdout.flush()
        sys.stderr.flush()
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # it has left its own
        if self.signal not in (signal.SIGKILL, signal.SIGSTOP):
            signal.signal(self.signal, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {self.signal})
        os.kill(os.getpid(), self.signal)
        return 128 + self.signal
