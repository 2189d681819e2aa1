# SPDX-License-Identifier: MIT
"""Reads files, and only those: what a name leads to may be a pipe that nobody writes to, or a
device without end."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from fencepost.console.input_error import UnusableInput

_KINDS = {
    stat.S_IFDIR: "is a directory, not a {}",
    stat.S_IFIFO: "is a pipe, which can be read only once: save it in a file, and name that",
    stat.S_IFSOCK: "is a socket, not a {}",
    stat.S_IFCHR: "is a device, not a {}",
    stat.S_IFBLK: "is a device, not a {}",
}


def regular_bytes(path: Path, most: int, what: str) -> bytes:
    """What is in it, of at most so many bytes; `what` such a file is called. Raises OSError or
    UnusableInput at once, and never waits."""
    check_regular(path, what)
    # A pipe that was put there in between is opened all the same, and not waited for.
    with os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
        _refuse(os.fstat(file.fileno()).st_mode, path, what)
        found = file.read(most + 1)
    if len(found) > most:
        raise UnusableInput(f"is longer than {most >> 20} MiB", str(path))
    return found


def check_regular(path: Path, what: str) -> None:
    """Raises OSError or UnusableInput."""
    _refuse(path.stat().st_mode, path, what)


def _refuse(mode: int, path: Path, what: str) -> None:
    if not stat.S_ISREG(mode):
        raise UnusableInput(_KINDS[stat.S_IFMT(mode)].format(what), str(path))
