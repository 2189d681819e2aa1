# SPDX-License-Identifier: MIT
"""Writes a file whole or not at all: on a full disk, what was there stays."""

from __future__ import annotations

import os
from pathlib import Path

from fencepost.input_error import UnusableInput


def refuse_what_cannot_be_written(path: Path) -> None:
    """Raises UnusableInput now rather than after hours of work."""
    where = path if path.exists() and not path.is_file() else path.resolve().parent
    if path.is_dir():
        raise UnusableInput(f"{path} is a directory")
    if not where.exists():
        raise UnusableInput(f"{path} cannot be written: there is no directory {where}")
    if not os.access(where, os.W_OK):
        raise UnusableInput(f"{path} cannot be written: {where} may not be written by you")


def write_whole(path: Path, text: str) -> None:
    """Raises UnusableInput, after which the file is as it was."""
    partial = None
    try:
        if path.exists() and not path.is_file():  # /dev/stdout, a pipe
            path.write_text(text, encoding="utf-8")
            return
        path = path.resolve()
        partial = path.with_name(f".{path.name}.{os.getpid()}")
        with partial.open("w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    except OSError as trouble:
        if partial is not None:
            partial.unlink(missing_ok=True)
        raise UnusableInput(f"{path} cannot be written: {trouble.strerror}") from None
