# SPDX-License-Identifier: MIT
"""Reads source files, and only those: what a name leads to may be a pipe that nobody writes to, or
a device without end. The name may come out of a file, too: debug information has what `#line` says.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

from fencepost.input_error import UnusableInput

#: Longer than any source that somebody reads.
MOST_BYTES = 1 << 26

_KINDS = {
    stat.S_IFDIR: "is a directory, not a source file",
    stat.S_IFIFO: "is a pipe, which can be read only once: save it in a file, and name that",
    stat.S_IFSOCK: "is a socket, not a source file",
    stat.S_IFCHR: "is a device, not a source file",
    stat.S_IFBLK: "is a device, not a source file",
}


def source_bytes(path: Path) -> bytes:
    """Raises OSError or UnusableInput at once, and never waits."""
    _refuse(path.stat().st_mode, path)
    # A pipe that was put there in between is opened all the same, and not waited for.
    with os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
        _refuse(os.fstat(file.fileno()).st_mode, path)
        found = file.read(MOST_BYTES + 1)
    if len(found) > MOST_BYTES:
        raise UnusableInput(f"is longer than {MOST_BYTES >> 20} MiB", str(path))
    return found


def _refuse(mode: int, path: Path) -> None:
    if not stat.S_ISREG(mode):
        raise UnusableInput(_KINDS[stat.S_IFMT(mode)], str(path))


def source_text_of(path: Path) -> str:
    """The same as text, whatever its bytes are."""
    return source_bytes(path).decode(errors="replace")


def check_source(path: Path) -> None:
    """Raises UnusableInput where a compiler could not read it, or would wait."""
    try:
        source_bytes(path)
    except OSError as error:
        raise UnusableInput(error.strerror or str(error), str(path)) from None
