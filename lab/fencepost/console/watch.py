# SPDX-License-Identifier: MIT
"""Doing something again whenever a file that it depends on has changed.

The kernel tells of changes (inotify), so waiting costs nothing. Watched are the folders of the
files, for editors put a new file in the place of the old one; what happens to other files there is
passed over. Which files matter is what the compiler noted when it last read them.
"""

from __future__ import annotations

import ctypes
import os
import re
import select
import struct
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path

#: Written and closed, renamed to, renamed from, made, removed.
_MASK = 0x8 | 0x80 | 0x40 | 0x100 | 0x200
_OVERFLOW = 0x4000
_EVENT = struct.Struct("iIII")

#: An editor that saves several files, or one in several steps, is done after so many seconds.
CALM = 0.1


def _absolute(file: Path) -> Path:
    """Not resolved: of a link, it is the link's own folder that is watched."""
    return Path.cwd() / file


class Changes:
    """Tells when one of some files has changed."""

    def __init__(self) -> None:
        self._libc = ctypes.CDLL(None, use_errno=True)
        self._fd = self._libc.inotify_init1(os.O_CLOEXEC | os.O_NONBLOCK)
        if self._fd < 0:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
        self._folders: dict[int, Path] = {}
        self._files: set[Path] = set()
        self._whatever = False

    def follow(self, files: Iterable[Path], *, whatever: bool = False) -> None:
        """Watch these files from now on; with `whatever` also others in the same folders."""
        self._files = {_absolute(file) for file in files}
        self._whatever = whatever
        for folder in {file.parent for file in self._files} - set(self._folders.values()):
            watch = self._libc.inotify_add_watch(self._fd, os.fsencode(folder), _MASK)
            if watch >= 0:  # a folder that is gone is no reason to stop
                self._folders[watch] = folder

    def wait(self) -> set[Path]:
        """The files that have changed since they are followed; waits for the first of them."""
        changed: set[Path] = set()
        while not changed:
            select.select([self._fd], [], [])
            changed |= self._told()
        while select.select([self._fd], [], [], CALM)[0]:
            changed |= self._told()
        return changed

    def _told(self) -> set[Path]:
        data, changed = os.read(self._fd, 1 << 16), set()
        while data:
            watch, mask, _, length = _EVENT.unpack_from(data)
            name = data[_EVENT.size : _EVENT.size + length].rstrip(b"\0")
            data = data[_EVENT.size + length :]
            if mask & _OVERFLOW:
                return set(self._files)
            if watch in self._folders:
                file = self._folders[watch] / os.fsdecode(name)
                if self._whatever or file in self._files:
                    changed.add(file)
        return changed


def noted_dependencies(folder: Path) -> set[Path]:
    """The files that compilers noted in *.d files below a folder, but for files of that folder."""
    found = set()
    for note in folder.rglob("*.d"):
        text = note.read_text(errors="surrogateescape").replace("\\\n", " ")
        for word in re.findall(r"(?:\\[ #]|\$\$|[^\s])+", text.partition(":")[2]):
            name = re.sub(r"\\([ #])", r"\1", word).replace("$$", "$")
            file = _absolute(Path(name))
            if not file.is_relative_to(folder):
                found.add(file)
    return found


def repeat(once: Callable[[], tuple[int, set[Path], bool]], files: set[Path]) -> int:
    """Calls `once` now and after every change, until Ctrl-C; the status of the last call.

    `once` returns its status, the files that it depends on, and whether it was interrupted."""
    changes, status = Changes(), 0
    files = set(map(_absolute, files))
    changes.follow(files)
    try:
        while True:
            began = time.time_ns()
            status, depends, interrupted = once()
            if interrupted:
                return status
            changes.follow(files | depends, whatever=not depends)
            if any(_changed_at(file) > began for file in depends):
                continue  # while it was at work, and a new one would have been nobody's to tell
            number = len(files | depends)
            print(f"fencepost: waiting until one of {number} files changes", file=sys.stderr)
            names = ", ".join(sorted(file.name for file in changes.wait()))
            print(f"\nfencepost: {names} changed", file=sys.stderr)
    except KeyboardInterrupt:
        return status


def _changed_at(file: Path) -> int:
    try:
        return file.stat().st_mtime_ns
    except OSError:
        return 0
