# SPDX-License-Identifier: MIT
"""Reads the file in which a program under `fencepost run --stats` keeps what it knows of its locks.

src/profiler/record/layout.hpp says what the fields mean; the formats below are that file again. The
program may be writing meanwhile, may have been killed in the middle of a word, and may belong to
somebody who wishes no good: numbers that lead nowhere are taken for "none", and the file is read,
not mapped, so that nobody who cuts it short ends its reader.
"""

from __future__ import annotations

import errno
import os
import stat
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fencepost.console.input_error import UnusableInput
from fencepost.console.shown import shown
from fencepost.system.file_part import part_of

MAGIC = 0x32304B434F4C5046
BUCKETS = 40
FRAMES = 24
HELD = 17

_TABLE = "QIIII"
_HEADER = struct.Struct("=QIIQQQIIQ" + _TABLE * 5 + "64sQIIHHI")
_MODULE = struct.Struct("=Q504s")
_SITE = struct.Struct("=QII")
HISTOGRAMS = struct.Struct(f"={2 * BUCKETS}Q")
_LOCK = struct.Struct(f"=QIIHHIII11Q{HISTOGRAMS.size}sII")
_HOLDING = struct.Struct("=IIQII")
_THREAD = struct.Struct("=IIIHHQQQQ16sII" + "IIQII" * HELD + "QQQII")
_STACK = struct.Struct(f"=QQQII{FRAMES}I")

KINDS = ("none", "mutex", "read_write", "spin", "condition", "semaphore", "futex")

_COUNTERS = (
    "acquisitions",
    "shared",
    "contended",
    "handovers",
    "refused",
    "timed_out",
    "waited",
    "slept",
    "sleeps",
    "held",
    "wakes",
)

#: What the recorder has room for (file.cpp beside it): a larger number is none of entries.
MOST = {"modules": 512, "sites": 16384, "locks": 131072, "threads": 8192, "stacks": 16384}

#: Entries of a table that are read at once.
_AT_ONCE = 4096

_NO_TIMES = bytes(HISTOGRAMS.size)


class Unfinished(UnusableInput):
    """The program has not yet written the beginning of its file."""


@dataclass(frozen=True)
class Module:
    base: int
    path: str
    #: Whether oneself or root wrote the path. What others wrote may name anything.
    is_ours: bool = True


@dataclass(frozen=True)
class Site:
    """An address behind a call, and the file that the code is from (None: nobody knows)."""

    address: int
    module: Module | None


@dataclass(frozen=True, slots=True)
class Lock:
    number: int
    address: int
    kind: str
    site: int
    initialised: bool
    ended: bool
    #: Some of its waits may have slept unseen: in a run on another lock it is glibc's.
    unseen: bool
    acquisitions: int
    shared: int
    contended: int
    handovers: int
    refused: int
    timed_out: int
    waited: int
    slept: int
    sleeps: int
    held: int
    wakes: int
    #: Of its waits and of how long it was held, as HISTOGRAMS has them: a table has 131,072 locks.
    histograms: bytes
    #: The tid of the thread that has it alone and has too many locks to say more of it; or 0.
    beyond: int = 0
    #: Acquisitions of which it is not known how long they lasted.
    unmeasured: int = 0

    @property
    def is_one(self) -> bool:
        """Not all of a kind together that found no room in the table."""
        return self.number >= len(KINDS)

    @property
    def waits(self) -> tuple[int, ...]:
        return HISTOGRAMS.unpack(self.histograms)[:BUCKETS]

    @property
    def holds(self) -> tuple[int, ...]:
        return HISTOGRAMS.unpack(self.histograms)[BUCKETS:]


@dataclass(frozen=True, slots=True)
class Holding:
    """A lock that a thread has, and where it took it."""

    lock: int
    site: int
    since: int
    shared: bool
    depth: int


@dataclass(frozen=True, slots=True)
class Thread:
    number: int
    tid: int
    name: str
    waits_for: int
    waits_at: int
    waits_shared: bool
    waits_since: int
    waited: int
    slept: int
    sleeps: int
    held: tuple[Holding, ...]
    more_held: int
    handle: int
    joins: int
    began: int
    #: It may have slept unseen: in a lock that is glibc's in a run on another one.
    unseen: bool
    #: The mutex that it must have again before its wait for a condition variable can end.
    retakes: int = 0


@dataclass(frozen=True, slots=True)
class Stack:
    """What led to waits: sites, the innermost call first."""

    waited: int
    count: int
    site: int
    kind: str
    frames: tuple[int, ...]


@dataclass(frozen=True)
class LockFile:
    """What one process had written when its file was read. Times in ns of CLOCK_MONOTONIC."""

    path: Path
    #: The user that the file belongs to.
    owner: int
    pid: int
    parent: int
    began: int
    began_real: int
    ended: int
    #: Addresses of locks that found no room in the table; None: more than could be counted.
    lost_locks: int | None
    lost_threads: int
    sees_sleeps: bool
    behind: str
    #: ns that those threads lived that have ended.
    thread_time: int
    #: Threads whose beginning was not seen: nobody knows how long they lived.
    late_threads: int
    #: Processes that it forked off and that have no file; and the last one's reason.
    lost_children: int
    lost_children_error: int
    #: By seccomp, from when on it recorded only what it had room for.
    is_confined: bool
    #: Bytes that its tables have, whether they were read or not.
    size: int
    sites: list[Site] = field(repr=False)
    locks: dict[int, Lock] = field(repr=False)
    threads: dict[int, Thread] = field(repr=False)
    stacks: list[Stack] = field(repr=False)

    def site(self, number: int) -> Site | None:
        return self.sites[number] if 0 < number < len(self.sites) else None


def read_lock_file(path: Path, head_only: bool = False) -> LockFile:
    """Raises UnusableInput where it is no such file, and Unfinished where it is not one yet.
    `head_only`: its tables are left unread, and empty."""
    try:
        # Somebody else may have put a link or a pipe here.
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        raise UnusableInput(f"{path} is gone: its program and its 'fencepost run' ended") from None
    except OSError as trouble:
        what = "a link" if trouble.errno == errno.ELOOP else (trouble.strerror or "no file")
        raise UnusableInput(f"{path} cannot be read: {what}") from None
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise UnusableInput(f"{path} is no regular file")
        # What root starts may become another user, and leaves its record as that.
        if os.geteuid() not in (0, status.st_uid) and status.st_uid != 0:
            raise UnusableInput(f"{path} is another user's")
        # Whoever may write there may give one file any number of names.
        if status.st_uid not in (0, os.geteuid()) and status.st_nlink > 1:
            raise UnusableInput(f"{path} has another name, too, which no record has")
        return _read(path, descriptor, head_only)
    except OSError as trouble:
        raise UnusableInput(f"{path} cannot be read: {trouble.strerror}") from None
    finally:
        os.close(descriptor)


def _read(path: Path, descriptor: int, head_only: bool) -> LockFile:
    first = os.pread(descriptor, _HEADER.size, 0)
    if len(first) < _HEADER.size or first[:8] == bytes(8):
        if any(first):
            raise UnusableInput(f"{path} is cut off in its first {_HEADER.size} bytes")
        raise Unfinished(f"{path} is still empty: its program has not begun to write")
    magic, pid, parent, began, began_real, ended, lost_locks, lost_threads, sees, *rest = (
        _HEADER.unpack(first)
    )
    if magic != MAGIC:
        raise UnusableInput(f"{path} is no file of a program's locks")
    tables = {
        name: rest[5 * n : 5 * n + 5]
        for n, name in enumerate(("modules", "sites", "locks", "threads", "stacks"))
    }
    expected = {
        "modules": _MODULE,
        "sites": _SITE,
        "locks": _LOCK,
        "threads": _THREAD,
        "stacks": _STACK,
    }
    for name, form in expected.items():
        if tables[name][1] != form.size:
            raise UnusableInput(
                f"{path}: an entry of its {name} has {tables[name][1]} bytes, not {form.size}: it "
                "was written by another version of Fencepost"
            )

    def length(name: str) -> int:
        _, _, capacity, used, _ = tables[name]
        return min(int(used), int(capacity), MOST[name])

    def entries(name: str) -> Iterator[bytes]:
        """A part of the table at a time: it may be larger than what is made of it."""
        offset, size, *_ = tables[name]
        count = 0 if head_only else length(name)
        for first in range(0, count, _AT_ONCE):
            part = part_of(descriptor, offset + first * size, min(count - first, _AT_ONCE) * size)
            for at in range(0, len(part) - size + 1, size):
                yield part[at : at + size]

    def filled(name: str) -> Iterator[tuple[int, tuple[Any, ...]]]:
        """Those that are not all zeros, with their numbers: holes cost next to nothing."""
        zeros = bytes(expected[name].size)
        for n, one in enumerate(entries(name)):
            if one != zeros:
                yield n, expected[name].unpack(one)

    owner = os.fstat(descriptor).st_uid
    is_ours = owner in (0, os.geteuid())
    modules = [
        Module(base, _text(name), is_ours) for base, name in map(_MODULE.unpack, entries("modules"))
    ]
    sites = [
        Site(address, modules[module] if 0 < module < len(modules) else None)
        for address, module, _ in map(_SITE.unpack, entries("sites"))
    ]
    locks = {n: _lock(n, words) for n, words in filled("locks") if n > 0}
    threads = {n: _thread(n, words) for n, words in filled("threads") if n > 0}
    return LockFile(
        path=path,
        owner=owner,
        pid=pid,
        parent=parent,
        began=began,
        began_real=began_real,
        ended=ended,
        lost_locks=lost_locks if rest[30] != 1 else None,
        lost_threads=lost_threads,
        sees_sleeps=sees == 1,
        behind=_text(rest[25]),
        thread_time=rest[26],
        late_threads=rest[31],
        lost_children=rest[27],
        lost_children_error=rest[28],
        is_confined=rest[29] == 1,
        size=sum(length(name) * form.size for name, form in expected.items()),
        sites=sites,
        # An entry without a kind is not filled yet.
        locks={n: lock for n, lock in locks.items() if lock.kind != "none"},
        threads={n: thread for n, thread in threads.items() if thread.tid},
        stacks=[_stack(words) for _, words in filled("stacks") if words[0]],
    )


def _text(name: bytes) -> str:
    """Up to its end; unprintable letters are shown, for a terminal must not obey them."""
    return shown(name.split(b"\0")[0].decode(errors="backslashreplace"), kept="")


def _kind(number: int) -> str:
    return KINDS[number] if number < len(KINDS) else "none"


def _lock(number: int, words: tuple[Any, ...]) -> Lock:
    address, kind, site, initialised, unseen, ended, _, beyond = words[:8]
    counters: dict[str, int] = dict(zip(_COUNTERS, words[8:19], strict=True))
    return Lock(
        number,
        address,
        _kind(kind),
        site,
        initialised == 1,
        ended == 1,
        unseen != 0,
        **counters,
        histograms=words[19] if words[19] != _NO_TIMES else _NO_TIMES,
        beyond=beyond,
        unmeasured=words[20],
    )


def _thread(number: int, words: tuple[Any, ...]) -> Thread:
    tid, waits_for, waits_at, waits_mode, unseen = words[:5]
    since, waited, slept, sleeps, name, holds, more = words[5:12]
    held = tuple(
        Holding(lock, site, taken, mode == 1, depth)
        for lock, site, taken, mode, depth in (
            words[12 + 5 * n : 17 + 5 * n] for n in range(min(holds, HELD))
        )
        if lock
    )
    handle, joins, began, _, retakes = words[12 + 5 * HELD :]
    return Thread(
        number,
        tid,
        _text(name),
        waits_for,
        waits_at,
        waits_mode == 1,
        since,
        waited,
        slept,
        sleeps,
        held,
        more,
        handle,
        joins,
        began,
        unseen != 0,
        retakes,
    )


def _stack(words: tuple[Any, ...]) -> Stack:
    _, waited, count, site, kind, *frames = words
    end = frames.index(0) if 0 in frames else FRAMES
    return Stack(waited, count, site, _kind(kind), tuple(frames[:end]))
