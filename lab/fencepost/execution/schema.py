# SPDX-License-Identifier: MIT
"""An execution as the checker reports it: events, who read from whom, and each location's order.

docs/results.md describes the JSON that this is read from.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

#: A thread's number and the event's place in it.
EventId = tuple[int, int]

#: What kind of object lies at an address, and the address: a futex word is an atomic object and has
#: a queue of sleepers.
ObjectId = tuple[str, int]


@dataclass(frozen=True)
class Piece:
    """A part of an access whose bytes are accessed in other sizes too."""

    address: int
    size: int
    value: int
    reads_from: EventId | None


@dataclass(frozen=True)
class Event:
    id: EventId
    kind: str
    rmw: bool
    order: str
    object: str  # atomic, mutex, futex-queue or condition; empty if the event is no access
    address: int
    size: int
    value: int  # of create and join: the other thread; by what a latch is counted down
    reads_from: EventId | None  # None: the initial value, or no read at all
    pc: int
    what: str
    #: Of each thread how many events happen before it; it is one of its own thread's.
    clock: tuple[int, ...] = ()
    #: The stores that wait in the machine's buffers while it is performed, oldest first.
    waiting: tuple[EventId, ...] = ()
    pieces: tuple[Piece, ...] = ()  # of an access of several: each has an order of its own

    @property
    def thread(self) -> int:
        return self.id[0]

    @property
    def is_read(self) -> bool:
        return self.kind == "R"

    @property
    def is_write(self) -> bool:
        return self.kind == "W"

    @property
    def is_access(self) -> bool:
        return self.kind in ("R", "W")

    @property
    def joins_thread(self) -> bool:
        """Whether it waits for the whole of another thread."""
        return self.kind == "join" and not self.what

    @property
    def is_tie(self) -> bool:
        """Whether it arrives at a barrier or latch, or comes after one event of another thread."""
        return self.kind == "join" and bool(self.what)

    @property
    def at(self) -> ObjectId:
        return (self.object, self.address)

    @property
    def places(self) -> tuple[ObjectId, ...]:
        """All that it accesses."""
        return tuple((self.object, piece.address) for piece in self.pieces) or (self.at,)

    @property
    def sources(self) -> tuple[EventId | None, ...]:
        """The write that each of its places is read from."""
        return tuple(piece.reads_from for piece in self.pieces) or (self.reads_from,)

    @property
    def writes_read(self) -> tuple[EventId, ...]:
        return tuple(dict.fromkeys(source for source in self.sources if source is not None))

    def alone_at(self, place: ObjectId) -> Event:
        """The same as an access of one of its places."""
        for piece in self.pieces:
            if piece.address == place[1]:
                return replace(
                    self,
                    address=piece.address,
                    size=piece.size,
                    value=piece.value,
                    reads_from=piece.reads_from,
                    pieces=(),
                )
        return self

    @property
    def is_atomic(self) -> bool:
        """Whether it accesses memory that the program itself sees."""
        return self.is_access and self.object == "atomic"

    @staticmethod
    def from_json(data: dict[str, Any]) -> Event:
        return Event(
            id=(data["t"], data["i"]),
            kind=data["k"],
            rmw=bool(data.get("rmw", False)),
            order=data.get("order", "na"),
            object=data.get("object", "atomic" if data["k"] in ("R", "W") else ""),
            address=int(data.get("loc", 0)),
            size=int(data.get("size", 0)),
            value=int(data.get("thread", data.get("val", 0))) | int(data.get("high", 0)) << 64,
            reads_from=_source(data),
            pc=int(data.get("pc", 0)),
            what=data.get("what", ""),
            clock=tuple(data["hb"]),
            waiting=tuple((t, i) for t, i in data.get("waiting", ())),
            pieces=tuple(
                Piece(int(p["loc"]), int(p["size"]), int(p["val"]), _source(p))
                for p in data.get("pieces", ())
            ),
        )


def _source(data: dict[str, Any]) -> EventId | None:
    source = data.get("rf")
    return (source[0], source[1]) if isinstance(source, list) else None


@dataclass(frozen=True)
class ThreadEnd:
    """How a thread was left when the execution was over."""

    id: int
    state: str  # finished, running or blocked
    why: str
    object: int  # what it is blocked on: an address, or the number of the thread it joins
    pc: int

    @property
    def waits(self) -> bool:
        """Not so one that was stopped where it went wrong, until it was known whether it can."""
        return self.state == "blocked" and self.why != "has been stopped"


@dataclass(frozen=True)
class MemoryObject:
    """A block of a heap, or a local variable, and the code that allocated or declared it; or all
    thread-local variables that the program itself has of a thread."""

    on_stack: bool
    address: int
    size: int
    pc: int
    thread: int
    thread_local: bool = False

    @staticmethod
    def from_json(data: dict[str, Any]) -> MemoryObject:
        address, size, pc, thread = (int(data[key]) for key in ("loc", "size", "pc", "thread"))
        where = data["where"]
        return MemoryObject(where == "stack", address, size, pc, thread, where == "thread-local")


@dataclass(frozen=True)
class Execution:
    events: tuple[Event, ...]  # in the order of the steps
    modification_order: dict[ObjectId, tuple[EventId, ...]]
    highlight: frozenset[EventId] = frozenset()
    threads: tuple[ThreadEnd, ...] = ()
    model: str = ""
    objects: tuple[MemoryObject, ...] = ()

    @cached_property
    def by_id(self) -> dict[EventId, Event]:
        return {event.id: event for event in self.events}

    @property
    def clashing(self) -> tuple[Event, Event] | None:
        """The two accesses that nothing orders, the one at which that was noticed last."""
        noticed = [event for event in self.events if event.kind == "plain"][-1:]
        for last in noticed:
            others = [self.by_id[event] for event in self.highlight if event[0] != last.thread]
            if others:
                return others[0], last
        return None

    def restricted(self, kept: Set[EventId]) -> Execution:
        """The same without the other events, its steps in the order that they have here."""
        return replace(
            self,
            events=tuple(
                replace(event, waiting=tuple(w for w in event.waiting if w in kept))
                for event in self.events
                if event.id in kept
            ),
            modification_order={
                place: tuple(event for event in order if event in kept)
                for place, order in self.modification_order.items()
            },
            highlight=self.highlight & kept,
        )

    @cached_property
    def position(self) -> dict[EventId, int]:
        return {event.id: place for place, event in enumerate(self.events)}

    @cached_property
    def thread_ids(self) -> list[int]:
        return sorted({event.thread for event in self.events} | {end.id for end in self.threads})

    @cached_property
    def place_in_order(self) -> dict[tuple[ObjectId, EventId], int]:
        """By place and write: how many other writes precede it in the place's modification
        order."""
        return {
            (where, event): place
            for where, order in self.modification_order.items()
            for place, event in enumerate(order)
        }

    def newer_than(self, read: Event) -> list[Event]:
        """The writes that the object's order puts after the one that was read, the next one first;
        a read-modify-write's own write is none."""
        own = self.written_by(read)
        newer: dict[EventId, Event] = {}
        for where, source in zip(read.places, read.sources, strict=True):
            order = self.modification_order.get(where, ())
            place = -1
            if source is not None:
                if (where, source) not in self.place_in_order:
                    continue
                place = self.place_in_order[where, source]
            newer.update((e, self.by_id[e]) for e in order[place + 1 :] if e in self.by_id)
        return [event for event in newer.values() if event is not own]

    def written_by(self, read: Event) -> Event | None:
        """The write half of a successful read-modify-write. Between the halves of an operation on a
        queue of sleepers stand the futex word's value and the choice of who is woken."""
        if not (read.is_read and read.rmw):
            return None
        for index in range(read.id[1] + 1, read.id[1] + 70):
            event = self.by_id.get((read.id[0], index))
            if event is None:
                return None
            if event.is_write:
                return event if event.rmw and event.at == read.at else None
        return None

    def stale(self, read: Event) -> Event | None:
        """The newest write that comes before this read in the order of the steps and that it did
        not see."""
        now = self.position[read.id]
        earlier = [event for event in self.newer_than(read) if self.position[event.id] < now]
        return earlier[-1] if earlier else None

    @staticmethod
    def from_json(data: dict[str, Any], model: str = "") -> Execution:
        if not data["scheduled"]:
            raise RuntimeError(f"no schedule of {model} performs the counterexample")
        return Execution(
            model=model,
            events=tuple(Event.from_json(event) for event in data.get("events", ())),
            modification_order={
                (entry.get("object", "atomic"), int(entry["loc"])): tuple(
                    (t, i) for t, i in entry["order"]
                )
                for entry in data.get("mo", ())
            },
            highlight=frozenset((t, i) for t, i in data.get("highlight", ())),
            threads=tuple(
                ThreadEnd(
                    end["id"],
                    end["state"],
                    end.get("why", ""),
                    int(end.get("object", 0)),
                    int(end.get("pc", 0)),
                )
                for end in data.get("threads", ())
            ),
            objects=tuple(map(MemoryObject.from_json, data.get("objects", ()))),
        )


@dataclass(frozen=True)
class PlainAccess:
    """An access that is no event of the graph: what a thread did before the event of that index."""

    thread: int
    index: int
    what: str  # read, write or free
    address: int
    pc: int

    @staticmethod
    def from_json(data: dict[str, Any]) -> PlainAccess:
        return PlainAccess(
            data["t"], data["i"], data["what"], int(data.get("loc", 0)), int(data.get("pc", 0))
        )


#: The violations that somebody waits for ever.
STUCK = ("lost-wakeup", "deadlock", "non-termination")


@dataclass(frozen=True)
class Violation:
    kind: str
    message: str
    thread: int
    pc: int
    execution: Execution
    other: PlainAccess | None = None  # what the access at pc clashes with, where it is plain
    output: str = ""  # what the program printed in this execution, of which the beginning may be
    output_left_out: int = 0  # left out: so many bytes

    @staticmethod
    def from_json(data: dict[str, Any], model: str = "") -> Violation:
        other = data.get("other")
        return Violation(
            kind=data["kind"],
            message=data.get("message", ""),
            thread=int(data.get("thread", 0)),
            pc=int(data.get("pc", 0)),
            execution=Execution.from_json(data, model),
            other=PlainAccess.from_json(other) if other else None,
            output=data.get("output", ""),
            output_left_out=int(data.get("output_left_out", 0)),
        )

    @property
    def race(self) -> tuple[int, int] | None:
        """Where the two accesses of a data race are."""
        if self.kind != "data-race":
            return None
        if self.other:
            return self.pc, self.other.pc
        others = [event for event in self.execution.highlight if event[0] != self.thread]
        return self.pc, self.execution.by_id[min(others)].pc

    def fails(self, end: ThreadEnd) -> bool:
        """Whether the thread did what is wrong."""
        return end.id == self.thread and end.state != "finished" and not end.waits

    def is_wrong(self, end: ThreadEnd) -> bool:
        """Whether how the thread was left is what is wrong, or part of it: others were on their
        way, and one that waits may have had its turn later."""
        return self.fails(end) or (end.waits and self.kind in STUCK)


@dataclass(frozen=True)
class Exploration:
    """What one run of a program under one model came to."""

    model: str
    verdict: str  # holds, violated or inconclusive
    executions: int
    blocked: int
    seconds: float
    reason: str = ""
    place: int = 0
    violations: int = 0
    violation: Violation | None = None
    assumptions: tuple[str, ...] = ()
    #: Those of them that are made of every program explored in this way.
    usual: frozenset[str] = frozenset()
    stats: dict[str, Any] = field(default_factory=dict)
    sites: tuple[dict[str, Any], ...] = ()
    coverage: tuple[dict[str, Any], ...] = ()

    @staticmethod
    def from_json(data: dict[str, Any]) -> Exploration:
        violation = data.get("violation")
        assumptions = tuple(data.get("assumptions", ()))
        return Exploration(
            model=data["model"],
            verdict=data["verdict"],
            executions=int(data.get("executions", 0)),
            blocked=int(data.get("blocked", 0)),
            seconds=float(data.get("seconds", 0)),
            reason=data.get("reason") or "",
            place=int(data.get("place") or 0),
            violations=int(data.get("violations") or 0),
            violation=Violation.from_json(violation, data["model"]) if violation else None,
            assumptions=assumptions,
            usual=frozenset(assumptions[place] for place in data.get("usual", ())),
            stats=dict(data.get("stats") or {}),
            sites=tuple(data.get("sites") or ()),
            coverage=tuple(data.get("coverage") or ()),
        )
