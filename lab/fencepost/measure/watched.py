# SPDX-License-Identifier: MIT
"""A program that runs once, and what other processes did to the processors meanwhile."""

from __future__ import annotations

import contextlib
import os
import re
import resource
import signal
import subprocess
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from fencepost.console.arguments import LONGEST_SECONDS
from fencepost.system.parent_death import die_with_parent


class Failed(Exception):
    """A benchmark that crashed, hung or made no sense."""


@dataclass(frozen=True)
class Watched:
    """What a program printed, how long it ran, and the CPU time that was used meanwhile."""

    output: str
    elapsed: float
    busy: dict[int, float]
    #: Of `busy`, what went into traffic over the network, the program's own too: nobody's CPU time.
    traffic: dict[int, float]
    own: float
    #: CPU time of the program, and how often its threads gave up the processor, or had to.
    cpu: float
    switches: int

    def others(self, processors: Collection[int]) -> float:
        """Seconds that others used of these processors."""
        return max(0.0, sum(self.busy[cpu] for cpu in processors if cpu in self.busy) - self.own)


def busy_seconds() -> dict[int, tuple[float, float]]:
    """CPU time that anybody used, and that was stolen from this machine, on each processor; and
    what of it were soft interrupts, in which traffic is worked off."""
    busy = {}
    with Path("/proc/stat").open() as lines:
        for line in lines:
            name, *ticks = line.split()
            if re.fullmatch(r"cpu\d+", name):
                user, nice, system, _idle, _iowait, irq, softirq, steal = map(int, ticks[:8])
                used = user + nice + system + irq + softirq + steal
                second = float(os.sysconf("SC_CLK_TCK"))
                busy[int(name[3:])] = used / second, softirq / second
    return busy


def cpu_seconds(of: int) -> float:
    usage = resource.getrusage(of)
    return usage.ru_utime + usage.ru_stime


def own_seconds() -> float:
    """CPU time of this process and of those that it has waited for."""
    return cpu_seconds(resource.RUSAGE_SELF) + cpu_seconds(resource.RUSAGE_CHILDREN)


def child_switches() -> int:
    """Context switches of those processes that this one has waited for."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_nvcsw + usage.ru_nivcsw


def run_ahead_of_other_sessions(process: int) -> None:
    """The scheduler shares out by sessions first: without this a priority counts for nothing beside
    those of other sessions. Where it is not permitted, windows are disturbed more often."""
    with contextlib.suppress(OSError):
        Path(f"/proc/{process}/autogroup").write_text("-20")


def run_watched(
    command: Sequence[str],
    seconds: float,
    patience: float | None = None,
    pass_on: int | None = None,
    environment: Mapping[str, str] | None = None,
    directory: Path | None = None,
    go_on: Callable[[], None] | None = None,
) -> Watched:
    """Runs a program that measures for so many seconds, in this directory; `pass_on` is a file that
    it finds open. Raises Failed where it fails, or does not end within the seconds of `patience`.
    It does not outlive this process. `go_on` is called once a second, and ends it by raising
    Failed."""
    patience = min(60 + 20 * seconds, 2 * LONGEST_SECONDS) if patience is None else patience
    busy_before, own_before, start = busy_seconds(), own_seconds(), time.monotonic()
    cpu_before, switches_before = cpu_seconds(resource.RUSAGE_CHILDREN), child_switches()
    try:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            start_new_session=True,
            pass_fds=() if pass_on is None else (pass_on,),
            env=environment,
            cwd=directory,
            preexec_fn=die_with_parent,
        )
    except OSError as problem:
        raise Failed(f"cannot be run: {problem.strerror}") from None
    run_ahead_of_other_sessions(process.pid)
    try:
        while True:
            left = start + patience - time.monotonic()
            try:
                output, errors = process.communicate(timeout=min(left, 1.0) if go_on else left)
                break
            except subprocess.TimeoutExpired:
                if time.monotonic() - start >= patience:
                    raise Failed(f"did not end in {patience:g} s") from None
                if go_on:
                    go_on()
    finally:
        if process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
    elapsed = time.monotonic() - start
    own = own_seconds() - own_before
    busy, traffic = {}, {}
    for processor, (used, worked_off) in busy_seconds().items():
        before = busy_before.get(processor, (0.0, 0.0))
        busy[processor], traffic[processor] = used - before[0], worked_off - before[1]
    if process.returncode != 0:
        last = errors.strip().splitlines()[-1:] or ["no message"]
        raise Failed(f"{ending(process.returncode)}: {last[0]}")
    cpu = cpu_seconds(resource.RUSAGE_CHILDREN) - cpu_before
    return Watched(output, elapsed, busy, traffic, own, cpu, child_switches() - switches_before)


def ending(status: int) -> str:
    """How a program ended, in words."""
    if status > 0:
        return f"exit status {status}"
    names = {number.value: number.name for number in signal.Signals}
    return f"killed by {names.get(-status, f'signal {-status}')}"
