# SPDX-License-Identifier: MIT
"""Runs compilers and other tools of the machine such that somebody who has had enough can end them.

A compiler may hang: on a header that is a pipe, in a template without end, on a wrapper that waits
for the network. Each tool runs in a session of its own, and what it has started ends with it: by
SIGTERM, so that it removes its temporary files, and soon after by SIGKILL.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import FrameType

from fencepost.console.input_error import UnusableInput

#: What a tool may take to remove its files, and then what has been killed to be gone.
GRACE_SECONDS = 0.3
#: Between two looks whether it is to end.
LOOK_SECONDS = 0.1

_running: set[subprocess.Popen[str]] = set()
_ended = False


class Interrupted(UnusableInput):
    """The tool was ended, or not started, because somebody has had enough."""

    def __init__(self) -> None:
        super().__init__("interrupted")


def run(
    command: Sequence[str | Path],
    *,
    told: str | None = None,
    environment: Mapping[str, str] | None = None,
    directory: Path | None = None,
    check: bool = False,
) -> subprocess.CompletedProcess[str]:
    """What the tool wrote, which is text whatever its bytes are. It reads what it is `told`, or
    nothing. Raises Interrupted; OSError if it cannot be started; with `check` UnusableInput if it
    fails.
    """
    if _ended:
        raise Interrupted
    words = [str(word) for word in command]
    # A file, and not a pipe: nobody has to stand by to fill it.
    with tempfile.TemporaryFile() as read:
        read.write((told or "").encode("utf-8", "surrogateescape"))
        read.seek(0)
        process = subprocess.Popen(
            words,
            stdin=read,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            errors="surrogateescape",
            env=environment,
            cwd=directory,
            start_new_session=True,
        )
    _running.add(process)
    try:
        output, errors = _written(process)
    except BaseException:
        _end(process)
        raise
    finally:
        _running.discard(process)
    done = subprocess.CompletedProcess(words, process.returncode, output, errors)
    if check and done.returncode:
        said = (errors.strip().splitlines() or [f"exit status {done.returncode}"])[-1]
        raise UnusableInput(f"{' '.join(words)[:200]}: {said[:300]}")
    return done


def _written(process: subprocess.Popen[str]) -> tuple[str, str]:
    while not _ended:
        try:
            return process.communicate(timeout=LOOK_SECONDS)
        except subprocess.TimeoutExpired:
            continue
    raise Interrupted


def _end(process: subprocess.Popen[str]) -> None:
    """Ends it with what it has started, and does not wait for what has hidden from that."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, number)
        until = time.monotonic() + GRACE_SECONDS
        while time.monotonic() < until and (process.poll() is None or _has_group(process.pid)):
            time.sleep(0.01)
    for stream in (process.stdout, process.stderr):
        if stream is not None:
            with contextlib.suppress(OSError):
                stream.close()


def _has_group(number: int) -> bool:
    try:
        os.killpg(number, 0)
    except ProcessLookupError:
        return False
    return True


def end_all() -> None:
    """Ends what runs, and nothing more is started. May be called by a signal handler."""
    global _ended
    _ended = True


def begin() -> None:
    """Tools may be started again."""
    global _ended
    _ended = False


@contextlib.contextmanager
def interruptible() -> Iterator[None]:
    """Ctrl-C and a polite kill end the tools, also those that other threads have started, and then
    the command: KeyboardInterrupt is raised."""

    def end(_number: int, _frame: FrameType | None) -> None:
        end_all()
        raise KeyboardInterrupt

    numbers = (signal.SIGINT, signal.SIGTERM)
    previous = {number: signal.signal(number, end) for number in numbers}
    begin()
    try:
        yield
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)
