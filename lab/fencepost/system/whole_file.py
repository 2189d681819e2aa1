# SPDX-License-Identifier: MIT
"""Writes a file whole or not at all, beside its place and then moved there: on a full disk, what
was there stays."""

from __future__ import annotations

import contextlib
import errno
import os
import tempfile
from pathlib import Path

from fencepost.console.input_error import UnusableInput


def place_of(path: Path) -> Path:
    """Where it is written, behind links. Raises UnusableInput."""
    try:
        return path.resolve()
    except RuntimeError:  # what Python makes of links that lead in a circle
        raise UnusableInput(os.strerror(errno.ELOOP), str(path)) from None


def refuse_what_cannot_be_written(path: Path) -> None:
    """Raises UnusableInput, or OSError, now rather than after hours of work."""
    where = path if path.exists() and not path.is_file() else place_of(path).parent
    if path.is_dir():
        raise UnusableInput(f"{path} is a directory")
    if not where.exists():
        raise UnusableInput(f"{path} cannot be written: there is no directory {where}")
    if not os.access(where, os.W_OK):
        raise UnusableInput(f"{path} cannot be written: {where} may not be written by you")


def write_whole(path: Path, text: str) -> None:
    """Raises UnusableInput; then whatever was at `path` is as it was."""
    try:
        if path.is_dir():
            raise UnusableInput(f"{path}: it is a directory")
        if path.exists() and not path.is_file():
            path.write_text(text, encoding="utf-8")  # /dev/stdout and the like have no beside
            return
        if path.exists() and not os.access(path, os.W_OK):
            raise UnusableInput(f"{path}: it may not be written")
        path.parent.mkdir(parents=True, exist_ok=True)
        place = place_of(path)
        # Under a name that nobody can have put a link at, and a short one: its own may be as long
        # as names can be.
        handle, name = tempfile.mkstemp(prefix=".fencepost-", dir=place.parent)
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            mode = place.stat().st_mode & 0o777 if place.exists() else 0o666 & ~_umask()
            Path(name).chmod(mode)
            Path(name).replace(place)
        except BaseException:
            with contextlib.suppress(OSError):
                Path(name).unlink()
            raise
    except OSError as trouble:
        raise UnusableInput(f"{path}: {trouble.strerror}; nothing was written there") from None


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
