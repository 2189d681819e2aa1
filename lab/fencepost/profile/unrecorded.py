# SPDX-License-Identifier: MIT
"""Processes of a run of which nothing is recorded, and why: a program that has no room for a record
goes without one."""

from __future__ import annotations

import errno
import os
import re
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from fencepost.profile.file import LockFile

_NOTE = re.compile(r"\d+-\d+\.unrecorded")

_REASONS = {
    errno.EFBIG: "no file may be large enough (RLIMIT_FSIZE, ulimit -f)",
    errno.ENOMEM: "their memory is limited (RLIMIT_AS or RLIMIT_DATA, ulimit -v or -d)",
    errno.EMFILE: "they may not open another file (RLIMIT_NOFILE, ulimit -n)",
    errno.ENOSPC: "there is no room where the records are kept (a full file system, or a quota)",
    errno.ENOENT: "they do not see where the records are kept (chroot, or a sandbox's own mounts)",
    errno.ENOSYS: "their parent had restricted its system calls (seccomp)",
    errno.EACCES: "they may not write where the records are kept (another user, or a sandbox)",
}


@dataclass(frozen=True)
class Unrecorded:
    """So many processes that went without a record for the same reason."""

    processes: int
    #: The error number with which their attempt ended.
    error: int

    @property
    def name(self) -> str:
        return errno.errorcode.get(self.error, str(self.error))

    @property
    def reason(self) -> str:
        if self.error in _REASONS:
            return _REASONS[self.error]
        return os.strerror(self.error) if 0 < self.error < 4096 else "they do not say why"

    def as_json(self) -> dict[str, int | str]:
        return {"processes": self.processes, "error": self.name, "reason": self.reason}


def unrecorded(directory: Path, files: Iterable[LockFile]) -> list[Unrecorded]:
    """Those that left a note in the run's directory, and those whose parents have counted them."""
    found: Counter[int] = Counter()
    with suppress(OSError):
        for note in directory.iterdir():
            if _NOTE.fullmatch(note.name):
                with suppress(OSError, ValueError):
                    found[int(str(note.readlink())[:9])] += 1
    for file in files:
        found[file.lost_children_error] += file.lost_children
    return [Unrecorded(processes, error) for error, processes in sorted(found.items()) if processes]
