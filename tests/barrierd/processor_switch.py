# SPDX-License-Identifier: MIT
"""Switches a processor of this machine off and on again, whatever becomes of the test."""

from __future__ import annotations

import contextlib
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

PROCESSORS = Path("/sys/devices/system/cpu")
#: Writes when its input ends, and that it does when the test is killed.
_SWITCH_ON = 'trap "" INT TERM HUP; cat >/dev/null; echo 1 >"$0"'


def _online() -> list[int]:
    found: list[int] = []
    for part in (PROCESSORS / "online").read_text().strip().split(","):
        first, _, last = part.partition("-")
        found += range(int(first), int(last or first) + 1)
    return found


def _bound_to(processor: int) -> str | None:
    """A program that may run on that one alone: it would be put elsewhere, and perhaps stay."""
    for status in Path("/proc").glob("[0-9]*/task/[0-9]*/status"):
        try:
            text = status.read_text()
            command = (status.parents[2] / "cmdline").read_text()
        except OSError:
            continue  # it has ended
        if f"Cpus_allowed_list:\t{processor}\n" in text and command:  # threads of the kernel: none
            return command.split("\0")[0]
    return None


class ProcessorSwitch:
    """For one processor, the last that can be switched."""

    def __init__(self) -> None:
        self.processor = max(_online())
        self._file = PROCESSORS / f"cpu{self.processor}" / "online"

    def why_not(self) -> str | None:
        if len(_online()) < 2:
            return "needs two processors"
        try:
            self._file.write_text("1")
        except OSError as problem:
            return f"may not switch processor {self.processor} off: {problem}"
        if bound := _bound_to(self.processor):
            return f"does not switch processor {self.processor} off, for {bound} is bound to it"
        return None

    @contextlib.contextmanager
    def off(self) -> Iterator[None]:
        # In a session of its own, so that Ctrl-C does not end it.
        guard = subprocess.Popen(
            ["sh", "-c", _SWITCH_ON, self._file], stdin=subprocess.PIPE, start_new_session=True
        )
        try:
            self._file.write_text("0")
            yield
        finally:
            assert guard.stdin is not None
            guard.stdin.close()
            guard.wait()
        assert self.processor in _online()


@pytest.fixture
def processor_switch() -> ProcessorSwitch:
    """Skips the test where no processor can be switched off without harm."""
    switch = ProcessorSwitch()
    if reason := switch.why_not():
        pytest.skip(reason)
    return switch
