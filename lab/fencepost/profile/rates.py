# SPDX-License-Identifier: MIT
"""What happened between two looks at a running program: rates, for each lock, place and thread."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from fencepost.profile.counts import COUNTERS, Counts
from fencepost.profile.file import HISTOGRAMS, Lock, LockFile, Thread
from fencepost.profile.summary import NO_ROOM
from fencepost.profile.symbols import Place, PlaceNames
from fencepost.profile.waits import Wait, Waits, deadlocks, living_threads


@dataclass(frozen=True)
class Look:
    """A program's file at a moment (ns of CLOCK_MONOTONIC)."""

    recorded: LockFile
    waits: Waits
    at: int

    @classmethod
    def at_file(cls, recorded: LockFile, at: int) -> Look:
        return cls(recorded, Waits(recorded, living_threads(recorded.pid)), at)


@dataclass
class Row:
    """Locks together, in the time between."""

    kind: str
    place: Place
    address: int
    counts: Counts = field(default_factory=Counts)
    #: ns of waits that have not ended and so are in no counter yet.
    going_on: int = 0
    #: ns that threads have had it which have it now, and so are in no counter yet.
    still_held: int = 0
    #: Threads that wait for it now.
    waiting: int = 0

    @property
    def lost(self) -> int:
        return max(0, self.counts.waited + self.going_on)

    @property
    def held(self) -> int:
        return max(0, self.counts.held + self.still_held)


@dataclass(frozen=True)
class ThreadRow:
    thread: Thread
    #: ns of the time between that it waited for mutexes, read-write and spin locks.
    lost: int
    sleeps: int
    wait: Wait | None


class Interval:
    """Between two looks; the first may be None: since the program began."""

    def __init__(self, first: Look | None, second: Look, names: PlaceNames) -> None:
        self.first, self.second = first, second
        recorded = second.recorded
        self.seconds = max(1, second.at - (first.at if first else recorded.began)) / 1e9
        self._places = names.places(recorded)
        self._before = first.recorded.locks if first else {}
        self._going_on: dict[int, int] = {}
        self._still_held: dict[int, int] = {}
        self._waiting: dict[int, int] = {}
        for look, sign in ((first, -1), (second, 1)):
            if look is None:
                continue
            for wait in look.waits.waits.values():
                if wait.lock is not None:
                    number = wait.lock.number
                    past = sign * max(0, look.at - wait.thread.waits_since)
                    self._going_on[number] = self._going_on.get(number, 0) + past
                    if sign > 0:
                        self._waiting[number] = self._waiting.get(number, 0) + 1
            for thread in look.waits.threads:
                for holding in thread.held:
                    past = sign * max(0, look.at - holding.since)
                    held = self._still_held.get(holding.lock, 0)
                    self._still_held[holding.lock] = held + past
        self.deadlocks = deadlocks(first.waits, second.waits) if first else []

    def place(self, site: int) -> Place:
        return self._places[site] if site < len(self._places) else self._places[0]

    def locks(self) -> list[Row]:
        return self._rows(lambda lock: lock.number)

    def sites(self) -> list[Row]:
        return self._rows(lambda lock: (lock.kind, self.place_of(lock)))

    def place_of(self, lock: Lock) -> Place:
        return self.place(lock.site) if lock.is_one else NO_ROOM

    def _rows(self, key: Callable[[Lock], object]) -> list[Row]:
        rows: dict[object, Row] = {}
        for lock in self.second.recorded.locks.values():
            row = rows.setdefault(key(lock), Row(lock.kind, self.place_of(lock), lock.address))
            before = self._before.get(lock.number)
            if lock == before:
                row.counts.locks += 1  # nothing happened to it
            else:
                row.counts.add(_since(lock, before), True)
            row.still_held += self._still_held.get(lock.number, 0)
            row.going_on += self._going_on.get(lock.number, 0)
            row.waiting += self._waiting.get(lock.number, 0)
        return list(rows.values())

    def threads(self) -> list[ThreadRow]:
        before = {one.tid: one for one in self.first.waits.threads} if self.first else {}
        waits = self.second.waits.waits
        rows = []
        for thread in self.second.waits.threads:
            earlier = before.get(thread.tid)
            lost = thread.waited - (earlier.waited if earlier else 0)
            sleeps = thread.sleeps - (earlier.sleeps if earlier else 0)
            lost += _past(self.second, thread) - (
                _past(self.first, earlier) if self.first and earlier else 0
            )
            rows.append(ThreadRow(thread, max(0, lost), max(0, sleeps), waits.get(thread.tid)))
        return rows


def _past(look: Look, thread: Thread) -> int:
    """ns that the wait that it is in has lasted, if it is one for a lock."""
    wait = look.waits.waits.get(thread.tid)
    if wait is None or wait.lock is None or not wait.counts_as_lost:
        return 0
    return max(0, look.at - thread.waits_since)


def _since(lock: Lock, before: Lock | None) -> Lock:
    """The lock with the counters of the time between; an entry that was another lock's before is
    new."""
    if before is None or (before.address, before.kind) != (lock.address, lock.kind):
        return lock
    changes: dict[str, int] = {
        name: max(0, getattr(lock, name) - getattr(before, name)) for name in COUNTERS
    }
    return Lock(
        lock.number,
        lock.address,
        lock.kind,
        lock.site,
        lock.initialised,
        lock.ended,
        lock.unseen,
        **changes,
        histograms=HISTOGRAMS.pack(
            *(max(0, a - b) for a, b in zip(lock.waits, before.waits, strict=True)),
            *(max(0, a - b) for a, b in zip(lock.holds, before.holds, strict=True)),
        ),
        beyond=lock.beyond,
        unmeasured=lock.unmeasured,
    )
