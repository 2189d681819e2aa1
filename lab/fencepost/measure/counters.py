# SPDX-License-Identifier: MIT
"""What the processors count while a program runs, all its threads and children included: cycles and
instructions in user mode, by perf_event_open(2), where there is such a thing."""

from __future__ import annotations

import ctypes
import os
import platform
import struct
from collections.abc import Mapping

from fencepost.results.schema import Metric

METRICS = (
    Metric("process_cycles", "cycles", "lower"),
    Metric("process_instructions", "instructions", "lower"),
)

#: <linux/perf_event.h>: type and config of each.
_HARDWARE = {"process_cycles": (0, 0), "process_instructions": (0, 1)}
_SYSCALL = {"x86_64": 298, "aarch64": 241, "riscv64": 241, "ppc64le": 319}
#: disabled, inherit, exclude_kernel, exclude_hv, enable_on_exec: what a child of this process does
#: from when it starts a program, and nothing of this process.
_FLAGS = 1 << 0 | 1 << 1 | 1 << 5 | 1 << 6 | 1 << 12
_SIZE, _TIMES, _CLOSE_ON_EXEC = 112, 3, 8


class Counters:
    """Opened once; `taken` then tells what was counted since it was asked last."""

    def __init__(self, events: Mapping[str, tuple[int, int]] = _HARDWARE) -> None:
        self._files: dict[str, int] = {}
        self._last: dict[str, tuple[int, int, int]] = {}
        #: Why there are none, if there are none.
        self.why_not = ""
        for name, (kind, config) in events.items():
            try:
                self._files[name] = _open(kind, config)
            except OSError as problem:
                self.why_not = f"perf_event_open: {problem.strerror}"
                continue
            self._last[name] = self._read(name)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._files)

    def _read(self, name: str) -> tuple[int, int, int]:
        value, enabled, running = struct.unpack("QQQ", os.read(self._files[name], 24))
        return value, enabled, running

    def taken(self) -> dict[str, float]:
        """Counts of the programs that have ended. Where several events took turns on one counter of
        the processor, what they would have been had each had it all the time."""
        found = {}
        for name in self._files:
            now, last = self._read(name), self._last[name]
            value, enabled, running = (new - old for new, old in zip(now, last, strict=True))
            self._last[name] = now
            if running > 0:
                found[name] = float(value) * enabled / running
        return found

    def close(self) -> None:
        for file in self._files.values():
            os.close(file)
        self._files = {}


def _open(kind: int, config: int) -> int:
    number = _SYSCALL.get(platform.machine())
    if number is None:
        raise OSError(0, f"its number is not known for {platform.machine()}")
    attributes = struct.pack("IIQQQQQ", kind, _SIZE, config, 0, 0, _TIMES, _FLAGS).ljust(
        _SIZE, b"\0"
    )
    library = ctypes.CDLL(None, use_errno=True)
    # This process, on any processor, in no group.
    file = int(library.syscall(number, attributes, 0, -1, -1, _CLOSE_ON_EXEC))
    if file < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return file
