# SPDX-License-Identifier: MIT
"""Where servers keep their data while they are measured: a folder of our own, of which nothing is
left behind. A runner that is killed can remove nothing: the next one does it, and ends what still
runs there. A lock on a file in the folder says whether its runner lives, for the kernel gives it
back when a process is gone."""

from __future__ import annotations

import contextlib
import fcntl
import os
import signal
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from fencepost.console.input_error import UnusableInput
from fencepost.system.tree_removal import remove_tree

_PREFIX = "fencepost-server-"
_OWNER = "owner"
#: What the address of a socket may have at most, less its own name in the folder.
_LONGEST_PATH = 80


class Place:
    """A folder that nobody else may look into, from `open_place` until it is closed."""

    def __init__(self, folder: Path, owner: int) -> None:
        self.folder = folder
        self._owner = owner
        self._windows = 0

    @contextlib.contextmanager
    def window(self) -> Iterator[Path]:
        """A folder for one window: when it is over, nothing runs there any more."""
        self._windows += 1
        folder = self.folder / f"window-{self._windows}"
        folder.mkdir()
        try:
            yield folder
        finally:
            _clear(folder)

    def close(self) -> None:
        _clear(self.folder)
        os.close(self._owner)


def open_place() -> Place:
    """Raises UnusableInput."""
    try:
        sweep()
        folder = Path(tempfile.mkdtemp(prefix=_PREFIX))
        if len(str(folder)) > _LONGEST_PATH:
            folder.rmdir()
            raise UnusableInput(f"{folder} is too long for the address of a socket: set TMPDIR")
        begun = folder / "begun"
        new = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        owner = os.open(begun, new, 0o600)
        fcntl.flock(owner, fcntl.LOCK_EX | fcntl.LOCK_NB)
        # Who sweeps finds it when it is locked, and not before.
        begun.rename(folder / _OWNER)
    except OSError as problem:
        raise UnusableInput(f"no folder for the servers' data: {problem}") from None
    return Place(folder, owner)


def sweep() -> None:
    """Removes the folders of those of our own runners that are gone."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        with contextlib.suppress(OSError):
            if folder.is_symlink() or folder.stat().st_uid != os.geteuid():
                continue
            owner = os.open(folder / _OWNER, os.O_RDWR | os.O_CLOEXEC)
            try:
                fcntl.flock(owner, fcntl.LOCK_EX | fcntl.LOCK_NB)
                _clear(folder)
            finally:
                os.close(owner)


def _clear(folder: Path) -> None:
    """Whoever interrupts once more, as an impatient user does, waits until it is done."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
    try:
        _end_all_in(folder)
        remove_tree(folder)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _end_all_in(folder: Path) -> None:
    until = time.monotonic() + 5
    while processes := list(_processes_in(folder)):
        for process in processes:
            with contextlib.suppress(OSError):
                os.kill(process, signal.SIGKILL)
        if time.monotonic() > until:
            break
        time.sleep(0.01)


def _processes_in(folder: Path) -> Iterator[int]:
    """Those that work in this folder or below: what we start does, and nobody else can."""
    inside = str(folder.resolve())
    for place in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            at = str((place / "cwd").readlink())
            is_gone = (place / "stat").read_text().rpartition(")")[2].split()[0] in "ZX"
            if (at == inside or at.startswith(f"{inside}/")) and not is_gone:
                yield int(place.name)
