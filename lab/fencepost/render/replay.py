# SPDX-License-Identifier: MIT
"""What memory holds after each step of an execution, and what the threads can make of it.

One row for each variable, mutex and queue of sleepers. The first column is the newest value there;
what stands beside it for each thread depends on the model: under `sc` nothing, under `x86` the
stores that wait in its buffer, under the C++ models the older values that it may still read.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from fencepost.execution.knowledge import Knowledge
from fencepost.execution.schema import Event, EventId, Execution, ObjectId
from fencepost.execution.steps import Step
from fencepost.execution.symbolise import Names

#: More cells of the table, at all steps, are not shown: the page would be of no use.
MOST_CELLS = 1_000_000

NOT_YET = "–"  # nobody has written it, and nobody has read what was there before

_ABOUT_MACHINE = ("in memory", "waits in the store buffer of")
_ABOUT_MODEL = ("newest", "older values that may still be read by")

_QUEUES = ("futex-queue", "condition")


@dataclass(frozen=True)
class Replay:
    """The table of memory, at every step; without rows where it is too large."""

    names: list[str]  # of the rows
    about_memory: str  # what the first column says
    about_threads: str  # what the threads' columns say; empty if there are none
    threads: list[int]  # that have a column
    states: list[list[str]]  # at each step the cells, row by row, memory first
    too_large: bool = False

    @property
    def width(self) -> int:
        return 1 + len(self.threads)


def replay(execution: Execution, steps: list[Step], names: Names) -> Replay:
    table = _Table(execution, steps, names)
    if len(steps) * table.cells > MOST_CELLS:
        return Replay([], "", "", [], [[] for _ in steps], too_large=True)
    return Replay(table.row_names(), *table.about, table.threads, list(table.states()))


class _Table:
    def __init__(self, execution: Execution, steps: list[Step], names: Names) -> None:
        self._execution = execution
        self._steps = steps
        self._names = names
        self._objects = _objects(execution)
        self._initial = {
            where: names.value(event.alone_at(where))
            for event in execution.events
            if event.is_read and event.is_atomic
            for where, source in zip(event.places, event.sources, strict=True)
            if source is None
        }
        self._told: set[EventId] = set()
        self._begun: set[int] = set()
        self._waiting: tuple[EventId, ...] = ()
        self._newest: dict[ObjectId, int] = {}
        self._knowledge = Knowledge(execution)
        self._has_buffers = execution.model == "x86"
        self.about = _ABOUT_MACHINE if self._has_buffers else _ABOUT_MODEL
        self.threads = execution.thread_ids
        if execution.model == "sc" or all(kind != "atomic" for kind, _ in self._objects):
            self.about, self.threads = ("value", ""), []

    @property
    def cells(self) -> int:
        return len(self._objects) * (1 + len(self.threads))

    def row_names(self) -> list[str]:
        return [_row_name(place, self._names) for place in self._objects]

    def states(self) -> Iterator[list[str]]:
        following: dict[int, int] = {}
        for step in self._steps:
            for event in self._events(step, following.get(step.thread, 0)):
                self._knowledge.add(event)
            following[step.thread] = step.events[-1][1] + 1
            self._tell(step)
            yield [text for where in self._objects for text in self._row(where)]

    def _events(self, step: Step, first: int) -> Iterator[Event]:
        """The step's events, after those of its thread from `first` on that are no steps."""
        for index in range(first, step.events[-1][1] + 1):
            if (step.thread, index) in self._execution.by_id:
                yield self._execution.by_id[step.thread, index]

    def _tell(self, step: Step) -> None:
        moved = {*self._waiting, *step.events}
        self._waiting = self._execution.by_id[step.events[-1]].waiting
        for event in moved.difference(self._waiting):
            write = self._execution.by_id[event]
            if write.is_write:
                for where in write.places:
                    place = self._execution.place_in_order.get((where, event), -1)
                    self._newest[where] = max(self._newest.get(where, -1), place)
        self._told.update(step.events)
        self._begun.update(event[0] for event in step.events)

    def _row(self, where: ObjectId) -> Iterator[str]:
        yield self._value(where, self._newest.get(where, -1))
        for thread in self.threads:
            if where[0] != "atomic":
                yield ""
            elif self._has_buffers:
                yield self._buffered(thread, where)
            else:
                yield self._older(thread, where)

    def _write(self, where: ObjectId, place: int) -> Event | None:
        order = self._execution.modification_order.get(where, ())
        return self._execution.by_id.get(order[place]) if 0 <= place < len(order) else None

    def _value(self, where: ObjectId, place: int) -> str:
        write = self._write(where, place)
        kind = where[0]
        if kind == "mutex":
            held = write is not None and write.value > 0
            return f"held by {self._names.thread(write.value - 1)}" if write and held else "free"
        if kind in _QUEUES:
            asleep = [t for t in range(64) if write and write.value >> t & 1]
            return ", ".join(self._names.thread(thread) for thread in asleep) or "nobody"
        return (
            self._names.value(write.alone_at(where)) if write else self._initial.get(where, NOT_YET)
        )

    def _older(self, thread: int, where: ObjectId) -> str:
        """The values before the newest one that coherence still allows."""
        if thread not in self._begun:
            return ""
        oldest, newest = self._knowledge.place(thread, where), self._newest.get(where, -1)
        order = self._execution.modification_order.get(where, ())
        places = [p for p in range(max(oldest, 0), newest) if order[p] in self._told]
        if oldest < 0 <= newest:
            places.insert(0, -1)
        values = (self._value(where, place) for place in places)
        return ", ".join(dict.fromkeys("the initial value" if v == NOT_YET else v for v in values))

    def _buffered(self, thread: int, where: ObjectId) -> str:
        stores = (self._execution.by_id[event] for event in self._waiting if event[0] == thread)
        return ", ".join(
            self._names.value(store.alone_at(where)) for store in stores if where in store.places
        )


def _objects(execution: Execution) -> list[ObjectId]:
    """All that is read or written, in the order in which the steps come to it."""
    seen = dict.fromkeys(
        place for event in execution.events if event.is_access for place in event.places
    )
    return [place for place in seen if place[0] != "membarrier"]


def _row_name(place: ObjectId, names: Names) -> str:
    kind, address = place
    name = names.address(address)
    return f"sleepers on {name}" if kind in _QUEUES else name
