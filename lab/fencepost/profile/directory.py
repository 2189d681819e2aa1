# SPDX-License-Identifier: MIT
"""Where the processes of a run leave what they know of their locks, and what became of them.

A run has a directory of its own, in memory where that is possible. It goes when the run ends. One
that was killed leaves it behind, and so does one whose program went on in the background: the next
run takes it away as soon as nobody writes there any more.
"""

from __future__ import annotations

import os
import re
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from fencepost.console.input_error import UnusableInput
from fencepost.profile.file import Lock, LockFile, Thread, Unfinished, read_lock_file
from fencepost.system.tree_removal import remove_tree

_PREFIX = "fencepost-locks."
_NAME = re.compile(r"fencepost-locks\.([0-9]{1,9})-([0-9]{1,20})\..*")
_FILE = re.compile(r"(\d+)-\d+\.locks")

#: For how many seconds what others have left there may keep a run from its beginning or its end.
_PATIENCE = 10.0

#: Of each other user: how many files and directories are looked at, and how many bytes of records
#: are read. More than that a program hardly writes, and anybody may put any amount there.
MOST_FILES, MOST_BYTES = 4096, 1 << 28


class OthersShare:
    """Keeps count of what was looked at of other users' files and directories."""

    def __init__(self) -> None:
        self._files: Counter[int] = Counter()
        self._bytes: Counter[int] = Counter()
        self._left_out = 0

    def admits(self, path: Path) -> bool:
        """Whether to look into this file or directory. Raises OSError."""
        user = path.lstat().st_uid
        if user in (0, os.geteuid()):
            return True
        self._files[user] += 1
        return self._known(self._files[user] <= MOST_FILES)

    def admits_tables(self, head: LockFile) -> bool:
        """Whether to read all of this record."""
        if head.owner in (0, os.geteuid()):
            return True
        self._bytes[head.owner] += head.size
        return self._known(self._bytes[head.owner] <= MOST_BYTES)

    def _known(self, is_admitted: bool) -> bool:
        self._left_out += not is_admitted
        return is_admitted

    def left_out(self) -> str:
        """In words; empty: nothing."""
        if not self._left_out:
            return ""
        return (
            f"{self._left_out} files or directories of other users were not looked at: there are "
            f"more than {MOST_FILES} of one user, or more than {MOST_BYTES >> 20} MiB"
        )


def places() -> list[Path]:
    """Where directories of runs may be, the best place first."""
    return list(dict.fromkeys((Path("/dev/shm"), Path(tempfile.gettempdir()))))


def prefix(pid: int) -> str:
    """Prefix of the directory's name for the `fencepost run` with this process number.
    Containers may share /dev/shm and have numbers of their own: so the name says of which
    numbers this is one."""
    return f"{_PREFIX}{pid}-{_numbering()}."


def _numbering() -> int:
    with suppress(OSError):
        return Path("/proc/self/ns/pid").stat().st_ino
    return 0


def make_directory() -> Path:
    sweep()
    for place in places():
        if os.access(place, os.W_OK | os.X_OK):
            with suppress(OSError):
                outer = Path(tempfile.mkdtemp(prefix=prefix(os.getpid()), dir=place))
                inner = Path(tempfile.mkdtemp(prefix="", dir=outer))
                if os.geteuid() == 0:
                    # A program that root starts may become somebody else, and then another program.
                    # Nobody else is to write here: the name is told to the run's processes alone.
                    inner.chmod(0o1733)
                    outer.chmod(0o711)
                return inner
    raise UnusableInput("no directory can be made in /dev/shm or TMPDIR for the statistics")


def remove_directory(directory: Path) -> None:
    remove_tree(directory.parent, _PATIENCE)


def _outer_directories() -> Iterator[tuple[int, Path]]:
    numbering = _numbering()
    for place in places():
        for outer in sorted(place.glob(f"{_PREFIX}*")):
            name = _NAME.fullmatch(outer.name)
            known = name is not None and int(name[2]) == numbering
            if name and known and outer.is_dir() and not outer.is_symlink():
                yield int(name[1]), outer


def _inner_directories(outer: Path) -> list[Path]:
    return [one for one in sorted(outer.iterdir()) if one.is_dir() and not one.is_symlink()]


def runs(others: OthersShare) -> Iterator[tuple[int, Path]]:
    """The directories of all runs, each with the number of its `fencepost run`."""
    for number, outer in _outer_directories():
        with suppress(OSError):  # another user's
            if others.admits(outer):
                yield from (
                    (number, directory)
                    for directory in _inner_directories(outer)
                    if others.admits(directory)
                )


def sweep() -> None:
    """Removes what runs have left that were killed; what takes too long is left to the next one."""
    until = time.monotonic() + _PATIENCE
    for number, outer in _outer_directories():
        with suppress(OSError):
            status = outer.stat()
            age = time.time() - status.st_ctime
            own = status.st_uid == os.geteuid()
            if own and age > 1 and not lives(number, age) and not _is_written(outer):
                remove_tree(outer, until - time.monotonic())


def _is_written(outer: Path) -> bool:
    """Does a process that lives write here? The names of the files tell: their format may be
    another's."""
    return any(
        (name := _FILE.fullmatch(file.name)) is not None
        and lives(int(name[1]), 0)
        and _may_have_written(int(name[1]), file.lstat().st_uid)
        for directory in _inner_directories(outer)
        for file in directory.iterdir()
    )


def lives(pid: int, age: float) -> bool:
    """Whether the process that had this number `age` seconds ago still has it."""
    try:
        # Its name may have spaces and parentheses in it; 19 fields follow before the start.
        fields = Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()
    except OSError:
        return False
    if len(fields) < 20 or fields[0] in "ZXx":
        return False
    started = int(fields[19]) / os.sysconf("SC_CLK_TCK")
    return time.clock_gettime(time.CLOCK_BOOTTIME) - started > age - 1


def _may_have_written(pid: int, user: int) -> bool:
    """Whether what belongs to this user may be of the process with this number: anybody may say so
    of any process."""
    if user in (0, os.geteuid()):
        return True
    with suppress(OSError):
        for line in Path(f"/proc/{pid}/status").read_text(errors="replace").splitlines():
            if line.startswith("Uid:"):
                return str(user) in line.split()
    return False


@dataclass(frozen=True)
class Process:
    """A process and what it has recorded. `fate`: "running"; "ended"; "replaced" (it executed
    another program); "killed" (by a signal, or left by _exit, or executed what has no record)."""

    recorded: LockFile
    fate: str
    #: CLOCK_MONOTONIC in ns: its end, or now where it runs; None: nobody knows when it ended.
    until: int | None

    @property
    def pid(self) -> int:
        return self.recorded.pid

    @property
    def unfinished(self) -> list[tuple[Thread, Lock, int | None]]:
        """Waits in which it ended, or is now: in no counter. Each with its ns so far, if known."""
        if self.fate in ("ended", "replaced"):
            return []
        return [
            (thread, self.recorded.locks[thread.waits_for], self._since(thread.waits_since))
            for thread in self.recorded.threads.values()
            if thread.waits_for in self.recorded.locks
            and self.recorded.began <= thread.waits_since
            and (self.until is None or thread.waits_since <= self.until)
        ]

    @property
    def still_held(self) -> dict[int, int | None]:
        """Locks that threads had when it ended, or have now, by number: for how long, in ns, which
        is in no counter; None: not known."""
        found: dict[int, int | None] = {}
        for thread in self.recorded.threads.values():
            for holding in thread.held:
                before, more = found.get(holding.lock, 0), self._since(holding.since)
                found[holding.lock] = None if before is None or more is None else before + more
        return found

    def _since(self, time: int) -> int | None:
        return None if self.until is None else max(0, self.until - time)

    @property
    def thread_seconds(self) -> float | None:
        """How long its threads lived that used locks, in all; None: not known."""
        if self.until is None or self.recorded.late_threads:
            return None
        now = sum(
            max(0, self.until - max(thread.began, self.recorded.began))
            for thread in self.recorded.threads.values()
        )
        return (self.recorded.thread_time + now) / 1e9

    @property
    def seconds(self) -> float | None:
        since = self._since(self.recorded.began)
        return None if since is None else since / 1e9


def processes(files: Iterable[LockFile], ends: Mapping[int, int] | None = None) -> list[Process]:
    """What became of those who wrote them, in the order in which they began. `ends`: of processes
    by their numbers, when they ended, where somebody has waited for them. Of two records of one
    process that say that they began at once, one is forged: another user's, if one is."""
    now = time.monotonic_ns()
    found = []
    successors: dict[int, int] = {}
    until: int | None
    trusted = (0, os.geteuid())
    for file in sorted(files, key=lambda one: (one.began, one.owner in trusted), reverse=True):
        if successors.get(file.pid) == file.began:
            continue
        if file.ended:
            fate, until = "ended", file.ended
        elif file.pid in successors:
            fate, until = "replaced", successors[file.pid]
        elif lives(file.pid, (now - file.began) / 1e9) and _may_have_written(file.pid, file.owner):
            fate, until = "running", now
        else:
            fate, until = "killed", (ends or {}).get(file.pid)
        successors[file.pid] = file.began
        found.append(Process(file, fate, until))
    return found[::-1]


def read_directory(
    directory: Path, heads_only: bool = False, others: OthersShare | None = None
) -> tuple[list[LockFile], list[str]]:
    """What all its processes have written, and what could not be read, in words. `others`: what
    they have left out its owner says."""
    files, troubles = [], []
    share = OthersShare() if others is None else others
    try:
        names = sorted(path.name for path in directory.iterdir())
    except OSError as trouble:
        raise UnusableInput(f"{directory} cannot be read: {trouble.strerror}") from None
    for name in names:
        path = directory / name
        try:
            if _FILE.fullmatch(name) and share.admits(path):
                head = read_lock_file(path, head_only=True)
                if heads_only:
                    files.append(head)
                elif share.admits_tables(head):
                    files.append(read_lock_file(path))
        except (Unfinished, OSError):
            pass  # it was about to begin, or has just gone
        except UnusableInput as trouble:
            troubles.append(str(trouble))
    if others is None and share.left_out():
        troubles.append(share.left_out())
    return files, troubles


def heads_of(directory: Path, others: OthersShare | None = None) -> list[Process]:
    """Those that have written there, without what they know of locks and threads."""
    return processes(read_directory(directory, heads_only=True, others=others)[0])
