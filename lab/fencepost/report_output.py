# SPDX-License-Identifier: MIT
"""Files that are there whole or not at all: written beside their place, then moved there."""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path

from fencepost.input_error import UnusableInput


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
        place = path.resolve()
        handle, name = tempfile.mkstemp(prefix=f".{place.name}.", dir=place.parent)
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
    except OSError as problem:
        raise UnusableInput(f"{path}: {problem.strerror}; nothing was written there") from None


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
