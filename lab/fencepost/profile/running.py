# SPDX-License-Identifier: MIT
"""The programs that run with statistics at this moment, and which of them is meant."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from fencepost.console.input_error import UnusableInput
from fencepost.console.progress import duration
from fencepost.console.shown import shown
from fencepost.profile.directory import Process, heads_of, runs


def running_in(directory: Path) -> list[Process]:
    """Those that write to a run's directory, without their tables; none where it cannot be read."""
    with suppress(UnusableInput):
        return [process for process in heads_of(directory) if process.fate == "running"]
    return []


def choose(pid: int) -> Process:
    """The process of this number, or of the `fencepost run` of this number; 0: the only one there
    is. Raises UnusableInput, with those that there are."""
    found = [(number, process) for number, directory in runs() for process in running_in(directory)]
    for _, process in found:
        if process.pid == pid:
            return process
    of_parent = [process for number, process in found if pid in (0, number)]
    if len(of_parent) == 1:
        return of_parent[0]
    if not found:
        raise UnusableInput("no program runs with --stats that you may look into")
    listed = "\n".join(f"  {_line(process)}" for _, process in found)
    if pid == 0 or of_parent:
        raise UnusableInput(f"which one? These run with --stats:\n{listed}")
    raise UnusableInput(f"process {pid} does not run with --stats; these do:\n{listed}")


def _line(process: Process) -> str:
    words = ""
    with suppress(OSError):
        words = Path(f"/proc/{process.pid}/cmdline").read_text(errors="replace").strip("\0")
    words = shown(words.replace("\0", " "), kept="")[:60]
    return f"{process.pid}  {process.recorded.behind}, {duration(process.seconds or 0)}: {words}"
