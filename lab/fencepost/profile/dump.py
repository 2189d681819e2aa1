# SPDX-License-Identifier: MIT
"""Says who waits for whom in a running program, and names deadlocks."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from fencepost.console.shown import shown
from fencepost.profile.directory import Process
from fencepost.profile.file import HELD, Lock, LockFile, Thread, read_lock_file
from fencepost.profile.summary import NO_ROOM
from fencepost.profile.symbols import PlaceNames
from fencepost.profile.waits import Holder, Wait, Waits, by_lock, deadlocks, living_threads
from fencepost.profile.words import span

#: Between the two looks at a program.
_MOMENT = 0.05

#: Threads that are shown of those that wait for the same.
_MOST = 16

_STATES = {
    "R": "it runs, or could",
    "S": "it sleeps in the kernel, for something that is no lock here",
    "D": "it waits in the kernel, for a disk as a rule",
    "T": "it is stopped",
    "t": "a debugger has stopped it",
}


def dump(path: Path, names: PlaceNames) -> str:
    """Say who waits for whom in the process that writes this file; takes 50 ms."""
    before = read_lock_file(path)
    first = Waits(before, living_threads(before.pid))
    time.sleep(_MOMENT)
    recorded = read_lock_file(path)
    second = Waits(recorded, living_threads(recorded.pid))
    return Dump(second, deadlocks(first, second), names, time.monotonic_ns()).text()


def left_in_deadlock(processes: Iterable[Process], names: PlaceNames, now: int) -> str:
    """The circles in which threads of processes were when a signal ended them; nothing changes any
    more, so one look does."""
    left: list[str] = []
    for process in processes:
        if process.fate != "killed":
            continue
        # Again, for it may have ended since it was read.
        waits = Waits(read_lock_file(process.recorded.path), None)
        left += Dump(waits, waits.cycles(), names, now).deadlocks()
    return "\n".join(left)


class Dump:
    """The text about one process at a moment."""

    def __init__(
        self, waits: Waits, circles: Sequence[Sequence[Wait]], names: PlaceNames, now: int
    ) -> None:
        self._waits, self._circles, self._names, self._now = waits, circles, names, now
        self._recorded: LockFile = waits.recorded
        names.prepare(self._recorded.site(number) for number in self._sites())

    def _sites(self) -> Iterator[int]:
        """All that may be told of."""
        circles = (wait for circle in self._circles for wait in circle)
        for wait in (*self._waits.waits.values(), *circles):
            yield wait.thread.waits_at
            for lock in (wait.lock, wait.retakes):
                if lock is not None:
                    yield lock.site
            for holder in wait.holders:
                if holder.holding is not None:
                    yield holder.holding.site

    def text(self) -> str:
        return "\n".join(self._lines())

    def deadlocks(self) -> Iterator[str]:
        for circle in self._circles:
            yield ""
            yield from self._deadlock(circle)

    def _lines(self) -> Iterator[str]:
        waits = list(self._waits.waits.values())
        waiting = [wait for wait in waits if wait.lock is None or wait.counts_as_lost]
        resting = [wait for wait in waits if wait.lock is not None and not wait.counts_as_lost]
        yield (
            f"process {self._recorded.pid}{_program(self._recorded.pid)} on "
            f"{self._recorded.behind or 'an unknown lock'}: {len(self._waits.threads)} threads "
            f"have used locks, {len(waiting)} wait for one, {len(resting)} for something to happen"
        )
        yield from self.deadlocks()
        groups = by_lock(wait for wait in waiting if wait.lock is not None)
        for group in groups:
            yield ""
            yield from self._queue(group)
        joins = [wait for wait in waiting if wait.lock is None]
        if joins:
            yield ""
        for wait in joins:
            yield f"{_who(wait.thread)} {self._what_for(wait)}"
        if resting:
            yield ""
            yield "waits for something to happen, or for a lock that only the program knows:"
            for line in self._resting(resting):
                yield f"  {line}"
        if self._names.left_unnamed:
            yield ""
            yield self._names.left_unnamed

    def _deadlock(self, circle: Sequence[Wait]) -> Iterator[str]:
        if len(circle) == 1:
            yield "DEADLOCK: a thread waits for itself"
        else:
            yield f"DEADLOCK: {len(circle)} threads wait for each other"
        for n, wait in enumerate(circle):
            following = circle[(n + 1) % len(circle)].thread
            yield f"  {_who(wait.thread)} {self._what_for(wait)}"
            if wait.retakes is not None:
                yield f"    and then needs {self._lock(wait.retakes)}"
            for holder in wait.holders:
                if holder.thread.tid == following.tid and wait.lock is not None:
                    yield f"    {self._had_by(holder, itself=len(circle) == 1)}"

    def _what_for(self, wait: Wait) -> str:
        if wait.lock is None:
            ends = [_who(one.thread) for one in wait.holders]
            return f"waits for the end of {ends[0] if ends else 'a thread that used no lock'}"
        since = span(max(0, self._now - wait.thread.waits_since))
        how = " (to read)" if wait.thread.waits_shared else ""
        return f"waits {since} for {self._lock(wait.lock)}{how}{self._at(wait.thread.waits_at)}"

    def _had_by(self, holder: Holder, itself: bool = False) -> str:
        who = "it has" if itself else f"{_who(holder.thread)} has"
        if holder.holding is None:
            return f"{who} it, as one of more than {HELD}"
        since = span(max(0, self._now - holder.holding.since))
        how = " (to read)" if holder.holding.shared else ""
        depth = f", {holder.holding.depth} times" if holder.holding.depth > 1 else ""
        where = self._names.place(self._recorded.site(holder.holding.site))
        return f"{who} it{how} for {since}{depth}, taken at {where}"

    def _queue(self, group: Sequence[Wait]) -> Iterator[str]:
        lock = group[0].lock
        assert lock is not None
        yield self._lock(lock)
        if not lock.is_one:
            yield "  these may be several: who has which is not recorded"
        elif not group[0].holders:
            yield "  nobody is seen to have it"
        for holder in group[0].holders:
            yield f"  {self._had_by(holder)}"
            own = self._waits.waits.get(holder.thread.tid)
            if own is None:
                yield f"    {_state(self._recorded.pid, holder.thread)}"
            elif own.lock is not lock:
                yield f"    and {self._what_for(own)}"
        for wait in group[:_MOST]:
            since = span(max(0, self._now - wait.thread.waits_since))
            how = " to read" if wait.thread.waits_shared else ""
            yield f"  {_who(wait.thread)} waits {since}{how}{self._at(wait.thread.waits_at)}"
        if len(group) > _MOST:
            yield f"  and {len(group) - _MOST} more threads"

    def _resting(self, waits: Sequence[Wait]) -> Iterator[str]:
        """Those together that wait at the same place for what is from the same place."""
        together: dict[tuple[str, str], list[Wait]] = {}
        for wait in sorted(waits, key=lambda wait: wait.thread.waits_since):
            assert wait.lock is not None
            what = f"{_kind(wait.lock)} ({self._origin(wait.lock)})"
            together.setdefault((self._at(wait.thread.waits_at), what), []).append(wait)
        for (where, what), group in together.items():
            longest = span(max(0, self._now - group[0].thread.waits_since))
            tids = ", ".join(str(wait.thread.tid) for wait in group[:_MOST])
            if len(group) > 1:
                more = f" and {len(group) - _MOST} more" if len(group) > _MOST else ""
                yield f"{len(group)} threads, the longest {longest}{where}: {what}"
                yield f"  {tids}{more}"
            else:
                yield f"{_who(group[0].thread)} {longest}{where}: {what}"

    def _lock(self, lock: Lock) -> str:
        if not lock.is_one:
            return f"{_kind(lock)} {NO_ROOM}"
        return f"{_kind(lock)} {lock.address:#x} ({self._origin(lock)})"

    def _origin(self, lock: Lock) -> str:
        if not lock.is_one:
            return str(NO_ROOM)
        place = self._names.place(self._recorded.site(lock.site))
        return f"{'initialised' if lock.initialised else 'first used'}: {place}"

    def _at(self, site: int) -> str:
        found = self._recorded.site(site)
        return f", at {self._names.place(found)}" if found else ""


def _kind(lock: Lock) -> str:
    return lock.kind.replace("_", "-")


def _who(thread: Thread) -> str:
    return f'thread {thread.tid} "{thread.name}"' if thread.name else f"thread {thread.tid}"


def _program(pid: int) -> str:
    with suppress(OSError):
        name = Path(f"/proc/{pid}/comm").read_text(errors="replace").strip()
        return f" ({shown(name, kept='')})"
    return ""


def _state(pid: int, thread: Thread) -> str:
    with suppress(OSError, IndexError):
        text = Path(f"/proc/{pid}/task/{thread.tid}/stat").read_text(errors="replace")
        letter = text.rpartition(")")[2].split()[0]
        return _STATES.get(letter, f"its state is {letter}")
    return "it has ended"
