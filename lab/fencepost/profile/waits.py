# SPDX-License-Identifier: MIT
"""Who waits for whom in a running process, and the circles in which nobody will ever go on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from fencepost.profile.counts import LOCKS
from fencepost.profile.file import Holding, Lock, LockFile, Thread


@dataclass(frozen=True)
class Holder:
    """A thread that has a lock. `holding` is None where it has more than are told apart: no more is
    known than that it has this one alone."""

    thread: Thread
    holding: Holding | None


@dataclass(frozen=True)
class Wait:
    """A thread that waits: for a lock, or (`lock` None) for the end of another thread. A wait for a
    condition variable does not end without the mutex that it `retakes`, whoever may notify: the
    holders are that one's."""

    thread: Thread
    lock: Lock | None
    holders: tuple[Holder, ...]
    retakes: Lock | None = None

    @property
    def counts_as_lost(self) -> bool:
        """A lock, and not something that is yet to happen."""
        return self.lock is not None and self.lock.kind in LOCKS

    @property
    def blockers(self) -> tuple[Holder, ...]:
        """Those of the holders without whom it is certain not to end."""
        if self.lock is None:
            return self.holders
        alone = [one for one in self.holders if one.holding is None or not one.holding.shared]
        if alone and len({one.thread.tid for one in self.holders}) > 1:
            return ()  # it was released by another thread than had it: nobody knows who has it
        if not alone and self.thread.waits_shared:
            return ()  # readers may let another reader in
        return self.holders

    @property
    def identity(self) -> tuple[int, ...]:
        """What stays the same as long as this is the same wait for the same holders."""
        thread = self.thread
        if self.lock is None:
            return (thread.tid, 0, thread.joins, *(one.thread.tid for one in self.holders))
        holders = sorted(
            (one.thread.tid, one.holding.since if one.holding else 0) for one in self.holders
        )
        numbers = (number for pair in holders for number in pair)
        return (thread.tid, thread.waits_for, thread.waits_since, *numbers)


def living_threads(pid: int) -> frozenset[int] | None:
    """The numbers of a process's threads; None where nobody tells."""
    with suppress(OSError):
        return frozenset(int(path.name) for path in Path(f"/proc/{pid}/task").iterdir())
    return None


class Waits:
    """All waits of a process as its file was when it was read."""

    def __init__(self, recorded: LockFile, living: frozenset[int] | None) -> None:
        self.recorded = recorded
        self.threads = [
            thread for thread in recorded.threads.values() if living is None or thread.tid in living
        ]
        self._holders: dict[int, list[Holder]] = {}
        self._with_more = {thread.tid: thread for thread in self.threads if thread.more_held}
        for thread in self.threads:
            for holding in thread.held:
                self._holders.setdefault(holding.lock, []).append(Holder(thread, holding))
        self.waits = {
            thread.tid: wait for thread in self.threads if (wait := self._wait(thread)) is not None
        }

    def holders(self, lock: Lock) -> tuple[Holder, ...]:
        """Those that are seen to have it."""
        if not lock.is_one:
            return ()
        known = self._holders.get(lock.number, ())
        beyond = self._with_more.get(lock.beyond)
        return (*known, Holder(beyond, None)) if beyond is not None else tuple(known)

    def _wait(self, thread: Thread) -> Wait | None:
        lock = self.recorded.locks.get(thread.waits_for)
        retakes = self.recorded.locks.get(thread.retakes)
        if lock is not None and lock.kind == "condition" and retakes is not None:
            return Wait(thread, lock, self.holders(retakes), retakes)
        if lock is not None:
            return Wait(thread, lock, self.holders(lock))
        if thread.joins:
            ends = [one for one in self.threads if one.handle == thread.joins]
            return Wait(thread, None, tuple(Holder(one, None) for one in ends))
        return None

    def cycles(self, still: Callable[[Wait], bool] = lambda _: True) -> list[list[Wait]]:
        """Each circle of threads that wait for each other, from the smallest thread number on; of
        entangled ones one. Only waits that are `still` there count."""
        after = {
            tid: [one.thread.tid for one in wait.blockers if one.thread.tid in self.waits]
            for tid, wait in self.waits.items()
            if still(wait)
        }
        found: list[list[Wait]] = []
        in_one: set[int] = set()
        for tid in sorted(after):
            if tid not in in_one and (way := _way_back(tid, after)) is not None:
                if in_one.isdisjoint(way):
                    found.append([self.waits[one] for one in way])
                in_one.update(way)
        return found


def _way_back(start: int, after: dict[int, list[int]]) -> list[int] | None:
    """The shortest way from a thread to itself."""
    came_from: dict[int, int] = {}
    edge = [start]
    while edge:
        further = []
        for one in edge:
            for other in after.get(one, ()):
                if other == start:
                    way = [one]
                    while way[-1] != start:
                        way.append(came_from[way[-1]])
                    return way[::-1]
                if other in after and other not in came_from:
                    came_from[other] = one
                    further.append(other)
        edge = further
    return None


def deadlocks(first: Waits, second: Waits) -> list[list[Wait]]:
    """The circles of the second that were all there at the first, a moment before: what was read
    while it changed is none."""
    before = {wait.identity for wait in first.waits.values()}
    return second.cycles(lambda wait: wait.identity in before)


def by_lock(waits: Iterable[Wait]) -> list[Sequence[Wait]]:
    """Waits for the same lock together, the longest wait first."""
    together: dict[int, list[Wait]] = {}
    for wait in waits:
        if wait.lock is not None:
            together.setdefault(wait.lock.number, []).append(wait)
    for group in together.values():
        group.sort(key=lambda wait: wait.thread.waits_since)
    return sorted(together.values(), key=lambda group: group[0].thread.waits_since)
