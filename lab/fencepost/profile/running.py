# SPDX-License-Identifier: MIT
"""The programs that run with statistics at this moment, and which of them is meant."""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path

from fencepost.console.input_error import UnusableInput
from fencepost.console.progress import duration
from fencepost.console.shown import shown
from fencepost.profile.directory import OthersShare, Process, heads_of, runs

#: Programs that are listed at most.
_MOST_LISTED = 50


def running_in(directory: Path, others: OthersShare | None = None) -> list[Process]:
    """Those that write to a run's directory, without their tables; none where it cannot be read."""
    with suppress(UnusableInput):
        return [process for process in heads_of(directory, others) if process.fate == "running"]
    return []


def choose(pid: int) -> Process:
    """The process of this number, or of the `fencepost run` of this number; 0: the only one there
    is. Raises UnusableInput, with those that there are."""
    others = OthersShare()
    found = [
        (number, process)
        for number, directory in runs(others)
        for process in running_in(directory, others)
    ]
    for _, process in found:
        if process.pid == pid:
            return process
    of_parent = [process for number, process in found if pid in (0, number)]
    left_out = others.left_out()
    if len(of_parent) == 1:
        if left_out:
            print(f"fencepost run: {left_out}", file=sys.stderr)
        return of_parent[0]
    more = f"\n{left_out}" if left_out else ""
    if not found:
        raise UnusableInput(f"no program runs with --stats that you may look into{more}")
    listed = "\n".join(f"  {_line(process)}" for _, process in found[:_MOST_LISTED])
    if len(found) > _MOST_LISTED:
        listed += f"\n  and {len(found) - _MOST_LISTED} more"
    if pid == 0 or of_parent:
        raise UnusableInput(f"which one? These run with --stats:\n{listed}{more}")
    raise UnusableInput(f"process {pid} does not run with --stats; these do:\n{listed}{more}")


def _line(process: Process) -> str:
    words = ""
    with suppress(OSError):
        words = Path(f"/proc/{process.pid}/cmdline").read_text(errors="replace").strip("\0")
    words = shown(words.replace("\0", " "), kept="")[:60]
    return f"{process.pid}  {process.recorded.behind}, {duration(process.seconds or 0)}: {words}"
