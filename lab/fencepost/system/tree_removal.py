# SPDX-License-Identifier: MIT
"""Removes folders with all that is in them, also where somebody else made it to hinder that.

No depth, number or name ends it, no link is followed, and no more than two folders are open at a
time: what lies deeper is moved up into the outermost folder first, and emptied there.
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_FOLDER = os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


def remove_tree(folder: Path, seconds: float = math.inf) -> None:
    """What cannot be removed stays, as does what is still there when the time is over: who goes on
    adding to it does not hold this up. Raises nothing."""
    until = time.monotonic() + seconds
    with suppress(OSError), _opened(str(folder.parent), None, os.O_CLOEXEC) as above:
        with suppress(OSError), _opened(folder.name, above) as top:
            device = os.fstat(top).st_dev
            while _removes_some(top, device, until):
                pass
        os.rmdir(folder.name, dir_fd=above)


def _removes_some(top: int, device: int, until: float) -> bool:
    """One look at all that is in it. Whether another one may remove more."""
    some = False
    for name in _names(top, until):
        if _is_unlinked(name, top):
            some = True
            continue
        with suppress(OSError), _opened(name, top) as inner:
            if os.fstat(inner).st_dev == device:  # nothing is mounted there
                for deeper in _names(inner, until):
                    some |= _is_unlinked(deeper, inner) or _is_moved_up(deeper, inner, top)
        with suppress(OSError):
            os.rmdir(name, dir_fd=top)
            some = True
    return some and time.monotonic() < until


def _names(folder: int, until: float) -> Iterator[str]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if time.monotonic() >= until:
                return
            yield entry.name


def _is_unlinked(name: str, folder: int) -> bool:
    with suppress(OSError):  # a folder, as a rule
        os.unlink(name, dir_fd=folder)
        return True
    return False


def _is_moved_up(name: str, folder: int, top: int) -> bool:
    with suppress(OSError):
        # Its owner alone may change its parent, and only where he may write into it.
        with suppress(OSError), _opened(name, folder):
            pass
        os.rename(name, os.urandom(16).hex(), src_dir_fd=folder, dst_dir_fd=top)
        return True
    return False


@contextmanager
def _opened(name: str, folder: int | None, how: int = _FOLDER) -> Iterator[int]:
    """A descriptor to list a folder by, which is made to grant that where it is one's own."""
    place = os.open(name, os.O_PATH | how, dir_fd=folder)
    try:
        if how == _FOLDER:
            with suppress(OSError):
                Path(f"/proc/self/fd/{place}").chmod(0o700)
            listed = os.open(".", os.O_RDONLY | _FOLDER, dir_fd=place)
            os.close(place)
            place = listed
        yield place
    finally:
        os.close(place)
