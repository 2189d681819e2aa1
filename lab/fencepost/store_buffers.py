# SPDX-License-Identifier: MIT
"""How an x86 machine performs an execution: when each store leaves its processor's buffer.

The checker's model says that some schedule of the machine explains the execution; this is one. A
store that no read needs to be late goes to memory at once. The others wait in their buffer, first
in, first out, until those who must not see them have read. `checker/model/x86.cpp` says which
instruction each operation is.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from copy import copy
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fencepost.execution import Event, EventId, Execution, ObjectId


#: Beyond this many events a store is let wait where it comes up, without a look at what follows.
MANY_EVENTS = 400


@dataclass(frozen=True)
class Schedule:
    """The order in which the processors perform the events, and what waits in the meantime."""

    order: list[Event] = field(default_factory=list)
    #: Of each event the stores in the buffers while it is performed, oldest first.
    waiting: dict[EventId, tuple[EventId, ...]] = field(default_factory=dict)


def _is_locked(event: Event) -> bool:
    locked = event.rmw or event.what == "cas-failed" or event.object not in ("", "atomic")
    return locked or (event.is_write and event.order == "sc")


def drains(event: Event) -> bool:
    """Whether it waits until its processor's buffer is empty."""
    if event.is_access:
        return _is_locked(event)
    return event.order == "sc" if event.kind == "F" else event.kind not in ("choice", "plain")


class _Machine:
    def __init__(self, execution: Execution, preferred: list[Event]) -> None:
        self._execution = execution
        self._place = {event.id: place for place, event in enumerate(preferred)}
        self._left: dict[int, list[Event]] = {event.thread: [] for event in execution.events}
        for event in sorted(execution.events, key=lambda event: event.id, reverse=True):
            self._left[event.thread].append(event)
        self._readers: dict[tuple[ObjectId, EventId | None], list[EventId]] = defaultdict(list)
        for event in execution.events:
            if event.is_read:
                for read in zip(event.places, event.sources, strict=True):
                    self._readers[read].append(event.id)
        self._starts = {e.value: e.id for e in execution.events if e.kind == "create"}
        self._done: set[EventId] = set()
        self._in_memory: set[EventId] = set()
        self._buffers: dict[int, list[Event]] = defaultdict(list)
        self._waited = 0  # how many stores had to
        self._looks_ahead = len(execution.events) <= MANY_EVENTS

    def run(self) -> Schedule | None:
        schedule = Schedule()
        while ready := [unit for unit in self._units() if self._may_go(unit)]:
            unit = min(ready, key=self._rank)
            if self._looks_ahead and len(ready) > 1 and self._must_wait(unit[0]):
                unit = min(ready, key=lambda unit: (self._wait_in_all(unit), self._rank(unit)))
            for event in unit:
                self._perform(event)
            waiting = tuple(e.id for buffer in self._buffers.values() for e in buffer)
            for event in unit:
                schedule.order.append(event)
                schedule.waiting[event.id] = waiting
            self._drain()
        return None if any(self._left.values()) else schedule

    def _rank(self, unit: list[Event]) -> tuple[bool, int]:
        return (self._must_wait(unit[0]), self._place[unit[0].id])

    def _must_wait(self, event: Event) -> bool:
        if not event.is_write or _is_locked(event):
            return False
        return bool(self._buffers[event.thread]) or not self._may_reach_memory(event, set())

    def _wait_in_all(self, unit: list[Event]) -> int:
        """How many stores have to wait in the end if this comes next."""
        rest = copy(self)
        rest._left = {thread: list(events) for thread, events in self._left.items()}
        rest._done, rest._in_memory = set(self._done), set(self._in_memory)
        rest._buffers = defaultdict(list, {t: list(b) for t, b in self._buffers.items()})
        rest._looks_ahead = False
        for event in unit:
            rest._perform(event)
        rest._drain()
        rest.run()
        return rest._waited

    def _units(self) -> Iterable[list[Event]]:
        """Of each thread what comes next; a read-modify-write is not divided."""
        for left in self._left.values():
            if left:
                written = self._execution.written_by(left[-1])
                size = written.id[1] - left[-1].id[1] + 1 if written else 1
                yield left[: -size - 1 : -1]

    def _may_go(self, unit: list[Event]) -> bool:
        thread = unit[0].thread
        if self._buffers[thread] and any(drains(event) for event in unit):
            return False
        if unit[0].id[1] == 0 and thread in self._starts and self._starts[thread] not in self._done:
            return False
        own = {event.id for event in unit}
        for event in unit:
            if event.kind == "join" and self._left.get(event.value):
                return False
            source = event.reads_from
            known = source is None or source in self._in_memory or source[0] == thread
            if event.is_read and not known:
                return False
            if event.is_write and _is_locked(event) and not self._may_reach_memory(event, own):
                return False
        return True

    def _perform(self, event: Event) -> None:
        self._left[event.thread].pop()
        self._done.add(event.id)
        if not event.is_write:
            return
        if self._must_wait(event):
            self._waited += 1
            self._buffers[event.thread].append(event)
        else:
            self._in_memory.add(event.id)

    def _may_reach_memory(self, write: Event, own: set[EventId]) -> bool:
        return all(self._may_reach(where, write, own) for where in write.places)

    def _may_reach(self, where: ObjectId, write: Event, own: set[EventId]) -> bool:
        order = self._execution.modification_order.get(where, ())
        place = self._execution.place_in_order.get((where, write.id), 0)
        before = order[place - 1] if place else None
        if before is not None and before not in self._in_memory:
            return False
        return all(reader in self._done or reader in own for reader in self._readers[where, before])

    def _drain(self) -> None:
        moved = True
        while moved:
            moved = False
            for buffer in self._buffers.values():
                while buffer and self._may_reach_memory(buffer[0], set()):
                    self._in_memory.add(buffer.pop(0).id)
                    moved = True


def schedule(execution: Execution, preferred: list[Event]) -> Schedule | None:
    """A schedule of the machine that stays as close to the `preferred` order as it can; None if the
    execution is none of an x86 machine's."""
    return _Machine(execution, preferred).run()


def machine_order(execution: Execution, preferred: list[Event]) -> list[Event]:
    found = schedule(execution, preferred)
    return found.order if found else preferred
