# SPDX-License-Identifier: MIT
"""A program that runs once, and what other processes did to the processors meanwhile."""

from __future__ import annotations

import contextlib
import os
import re
import resource
import subprocess
import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path


class Failed(Exception):
    """A benchmark that crashed, hung or made no sense."""


@dataclass(frozen=True)
class Watched:
    """What a program printed, how long it ran, and the CPU time that was used meanwhile."""

    output: str
    elapsed: float
    busy: dict[int, float]
    own: float

    def others(self, processors: Collection[int]) -> float:
        """Seconds that others used of these processors."""
        return max(0.0, sum(self.busy[cpu] for cpu in processors if cpu in self.busy) - self.own)


def busy_seconds() -> dict[int, float]:
    """CPU time that anybody used, and that was stolen from this machine, on each processor."""
    busy = {}
    with Path("/proc/stat").open() as lines:
        for line in lines:
            name, *ticks = line.split()
            if re.fullmatch(r"cpu\d+", name):
                user, nice, system, _idle, _iowait, irq, softirq, steal = map(int, ticks[:8])
                used = user + nice + system + irq + softirq + steal
                busy[int(name[3:])] = used / float(os.sysconf("SC_CLK_TCK"))
    return busy


def own_seconds() -> float:
    """CPU time of this process and of those that it has waited for."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in used)


def run_watched(command: Sequence[str], seconds: float) -> Watched:
    """Run a program that measures for so many seconds. Raises Failed where it fails or hangs."""
    busy_before, own_before, start = busy_seconds(), own_seconds(), time.monotonic()
    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    # The scheduler shares out by sessions first: without this a priority counts for nothing beside
    # those of other sessions. Where it is not permitted, windows are disturbed more often.
    with contextlib.suppress(OSError):
        Path(f"/proc/{process.pid}/autogroup").write_text("-20")
    try:
        output, errors = process.communicate(timeout=60 + 20 * seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        raise Failed("did not end") from None
    except BaseException:
        process.kill()
        process.communicate()
        raise
    elapsed = time.monotonic() - start
    own = own_seconds() - own_before
    busy = {cpu: used - busy_before.get(cpu, 0.0) for cpu, used in busy_seconds().items()}
    if process.returncode != 0:
        last = errors.strip().splitlines()[-1:] or ["no message"]
        raise Failed(f"status {process.returncode}: {last[0]}")
    return Watched(output, elapsed, busy, own)
