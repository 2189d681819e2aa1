# SPDX-License-Identifier: MIT
"""Writes a file whole or not at all, beside its place and then moved there: on a full disk, what
was there stays."""

from __future__ import annotations

import contextlib
import errno
import io
import os
import shutil
from pathlib import Path
from typing import BinaryIO

from fencepost.console.input_error import UnusableInput
from fencepost.system.output_place import OutputPlace, output_place


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
    with output_place(path):
        pass


def write_whole(path: Path, text: str) -> None:
    """Raises UnusableInput; then whatever was at `path` is as it was."""
    try:
        with output_place(path) as place:
            if not place.is_regular:  # /dev/stdout and the like have no beside
                with os.fdopen(place.opened(), "w", encoding="utf-8") as file:
                    file.write(text)
                return
            if place.status and not os.access(place.name, os.W_OK, dir_fd=place.folder):
                raise UnusableInput(f"{path}: it may not be written")
            # Who may read it is for its owner to say, and not for who made the name first.
            old = place.status
            is_own = old is not None and old.st_uid == os.geteuid()
            mode = old.st_mode if old and is_own else 0o666 & ~_umask()
            _replace(place, io.BytesIO(text.encode()), mode)
    except OSError as trouble:
        raise UnusableInput(f"{path}: {trouble.strerror}; nothing was written there") from None


def copy_whole(source: Path, path: Path) -> None:
    """The same with the text of a file, and who may read and run it. Raises OSError, too."""
    with source.open("rb") as text, output_place(path) as place:
        _replace(place, text, os.fstat(text.fileno()).st_mode)


def _replace(place: OutputPlace, text: BinaryIO, mode: int) -> None:
    folder = place.folder
    # Under a name that nobody can have put a link at, and a short one: its own may be as long as
    # names can be.
    name = f".fencepost-{os.urandom(8).hex()}"
    new = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    handle = os.open(name, new, 0o600, dir_fd=folder)
    try:
        with os.fdopen(handle, "wb") as file:
            shutil.copyfileobj(text, file)
            file.flush()
            os.fsync(file.fileno())
            os.fchmod(file.fileno(), mode & 0o777)
        os.replace(name, place.name, src_dir_fd=folder, dst_dir_fd=folder)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name, dir_fd=folder)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
