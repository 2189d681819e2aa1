# SPDX-License-Identifier: MIT
"""Where a file goes that somebody asks for: behind links, as any program has it.

In a folder where anybody may write, such as /tmp, another user may have made the name first: a link
that leads to a file of one's own, or a pipe that nobody reads from. Both are refused. The folder is
held open from the look at the name on, so that nobody puts a link there in between.
"""

from __future__ import annotations

import errno
import os
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from fencepost.console.input_error import UnusableInput

_FOLDER = os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC

#: As many links as the kernel follows.
_MOST_LINKS = 40

#: How many seconds a pipe of one's own is waited for until somebody reads from it.
_PATIENCE = 10.0


@dataclass(frozen=True)
class OutputPlace:
    """A name in a folder that is open. No link is there, but one of /proc's to what has no name."""

    path: Path
    folder: int
    name: str
    #: What is there; None: nothing is.
    status: os.stat_result | None
    is_nameless: bool = False

    @property
    def is_regular(self) -> bool:
        return self.status is None or stat.S_ISREG(self.status.st_mode)

    def refuse_others(self) -> None:
        """Raises UnusableInput where another user put a file there, too, which may be replaced and
        is not to be added to."""
        if self.status is not None and not self.is_nameless:
            _refuse_others(self.path, self.status, self.folder)

    def opened(self, *, at_end: bool = False) -> int:
        """A descriptor to write to what is there, or at the end of what need not be there yet.
        Raises OSError, or UnusableInput for what another user put there."""
        self.refuse_others()
        flags = os.O_NOFOLLOW | (os.O_APPEND | os.O_CREAT if at_end else 0)
        flags &= ~os.O_NOFOLLOW if self.is_nameless else ~0
        flags |= os.O_WRONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
        until = time.monotonic() + _PATIENCE
        while (descriptor := self._tried(flags, until)) is None:
            time.sleep(0.02)
        try:
            if not self.is_nameless:
                _refuse_others(self.path, os.fstat(descriptor), self.folder)
            os.set_blocking(descriptor, True)
        except BaseException:
            os.close(descriptor)
            raise
        return descriptor

    def _tried(self, flags: int, until: float) -> int | None:
        """None: it is a pipe that nobody reads from yet."""
        try:
            return os.open(self.name, flags, 0o666, dir_fd=self.folder)
        except OSError as trouble:
            is_pipe = self.status is not None and stat.S_ISFIFO(self.status.st_mode)
            if trouble.errno != errno.ENXIO or not is_pipe:
                raise
            if time.monotonic() < until:
                return None
            raise UnusableInput("nobody reads from this pipe", str(self.path)) from None


@contextmanager
def output_place(path: Path) -> Iterator[OutputPlace]:
    """Makes folders that are missing on the way. Raises OSError, or UnusableInput for links and
    pipes of others and for a folder."""
    folder = os.open("/" if path.is_absolute() else ".", _FOLDER)
    links = 0
    try:
        todo = list(reversed(path.parts))
        while todo:
            name = todo.pop()
            status = _status(name, folder)
            if status is None and todo:
                with suppress(FileExistsError):
                    os.mkdir(name, dir_fd=folder)
            if status is not None and stat.S_ISLNK(status.st_mode):
                if not todo and _leads_to_no_name(name, folder):
                    there = os.stat(name, dir_fd=folder)
                    yield OutputPlace(path, folder, name, there, is_nameless=True)
                    return
                _refuse_others(path, status, folder)
                links += 1
                if links > _MOST_LINKS:
                    raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
                todo += reversed(Path(os.readlink(name, dir_fd=folder)).parts)
            elif todo or (status is not None and stat.S_ISDIR(status.st_mode)):
                inner = os.open(name, _FOLDER, dir_fd=folder)  # "/", too
                os.close(folder)
                folder = inner
            else:
                if status is not None and not stat.S_ISREG(status.st_mode):
                    _refuse_others(path, status, folder)
                yield OutputPlace(path, folder, name, status)
                return
        raise UnusableInput("it is a directory", str(path))
    finally:
        os.close(folder)


def _status(name: str, folder: int) -> os.stat_result | None:
    try:
        return os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return None


def _leads_to_no_name(name: str, folder: int) -> bool:
    """A link such as /proc/self/fd/1, behind which a pipe or a terminal is."""
    try:
        is_procs = os.fstat(folder).st_dev == Path("/proc").stat().st_dev
        return is_procs and not stat.S_ISREG(os.stat(name, dir_fd=folder).st_mode)
    except OSError:
        return False


def _refuse_others(path: Path, status: os.stat_result, folder: int) -> None:
    if status.st_uid not in (0, os.geteuid()) and os.fstat(folder).st_mode & stat.S_IWOTH:
        what = {stat.S_IFLNK: "a link", stat.S_IFIFO: "a pipe", stat.S_IFREG: "a file"}
        kind = what.get(stat.S_IFMT(status.st_mode), "a device or socket")
        raise UnusableInput(
            f"{kind} of another user's is in the way, in a folder where anybody may write: choose "
            "another name, or a folder of your own",
            str(path),
        )
