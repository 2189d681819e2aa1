# SPDX-License-Identifier: MIT
"""An execution as the checker reports it: events, who read from whom, and each location's order.

docs/lab/results.md describes the JSON that this is read from.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Set
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import accumulate
from typing import Any

from fencepost.execution.fields import MOST_EVENTS_OF_A_THREAD, MOST_THREADS, Fields
from fencepost.execution.operations import known_operations

#: A thread's number and the event's place in it.
EventId = tuple[int, int]

MODELS = ("sc", "c++20", "c++14", "x86")
VIOLATIONS = (
    "assertion",
    "data-race",
    "lost-wakeup",
    "deadlock",
    "non-termination",
    "memory",
    "invalid-order",
    "uncaught",
    "exit-status",
)
KINDS = ("begin", "end", "create", "join", "R", "W", "F", "choice")
ORDERS = ("na", "rlx", "acq", "rel", "acq_rel", "sc")
OBJECTS = (
    "atomic",
    "mutex",
    "spin-lock",
    "rwlock",
    "semaphore",
    "latch",
    "futex-queue",
    "condition",
    "membarrier",
    "exit-handlers",
)
#: What plain accesses do.
ACCESSES = ("read", "write", "free", "destroy", "end", "allocate", "notification")
#: More than an access of one event has.
MOST_BYTES = 64
#: So many are named (checker/verdict/objects_text.cpp).
MOST_OBJECTS = 1000
#: Of a counterexample.
MOST_EVENTS = MOST_THREADS * MOST_EVENTS_OF_A_THREAD

#: What kind of object lies at an address, and the address: a futex word is an atomic object and has
#: a queue of sleepers.
ObjectId = tuple[str, int]


class TooLong(ValueError):
    """A counterexample of more events than are to be read."""


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
    def from_fields(data: Fields) -> Event:
        kind = data.one_of("k", KINDS)
        is_access = kind in ("R", "W")
        return Event(
            id=(data.thread("t"), data.count("i")),
            kind=kind,
            rmw=data.flag("rmw"),
            order=data.one_of("order", ORDERS, "na"),
            object=data.one_of("object", OBJECTS, "atomic") if is_access else "",
            address=data.word("loc", 0),
            size=data.whole("size", MOST_BYTES + 1, 0),
            value=_value(data, kind),
            reads_from=_source(data),
            pc=data.word("pc", 0),
            what=data.one_of("what", known_operations(), ""),
            clock=data.wholes("hb", 1 << 32),
            waiting=data.events("waiting"),
            pieces=tuple(map(_piece, data.objects("pieces", "a piece"))),
        )


def _value(data: Fields, kind: str) -> int:
    if kind in ("create", "join") and data.has("thread"):
        return data.thread("thread")
    return data.word("val", 0) | data.word("high", 0) << 64


def _piece(data: Fields) -> Piece:
    size = data.whole("size", MOST_BYTES + 1)
    return Piece(data.word("loc"), size, data.word("val"), _source(data))


def _source(data: Fields) -> EventId | None:
    return None if not data.has("rf") or data.is_word("rf", "init") else data.event("rf")


#: Of a thread that did wrong, until it was known whether it can; and of one that does what it does
#: in another execution, too.
_STOPPED = ("has been stopped", "takes several mutexes")


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
        return self.state == "blocked" and self.why not in _STOPPED

    @staticmethod
    def from_fields(data: Fields) -> ThreadEnd:
        state = data.one_of("state", ("finished", "running", "blocked"))
        object = data.word("object", 0)
        return ThreadEnd(data.thread("id"), state, data.text("why"), object, data.word("pc", 0))


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
    def from_fields(data: Fields) -> MemoryObject:
        where = data.one_of("where", ("heap", "stack", "thread-local"))
        address, size, pc = (data.word(key) for key in ("loc", "size", "pc"))
        thread = data.thread("thread")
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

    @cached_property
    def _first_from(self) -> dict[ObjectId, list[int]]:
        """By place: of each write in its modification order the first position, in the order of the
        steps, that it or a later one has. It never falls."""
        return {
            where: list(accumulate((self.position[e] for e in reversed(order)), min))[::-1]
            for where, order in self.modification_order.items()
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
        if not read.pieces:
            first = self._first_from.get(read.at, [])
            newest = bisect_left(first, now) - 1
            seen = self.place_in_order.get((read.at, read.reads_from)) if read.reads_from else -1
            if seen is None or newest <= seen:
                return None
            return self.by_id[self.modification_order[read.at][newest]]
        earlier = [event for event in self.newer_than(read) if self.position[event.id] < now]
        return earlier[-1] if earlier else None

    @staticmethod
    def from_fields(data: Fields, model: str) -> Execution:
        if not data.flag("scheduled"):
            raise ValueError(f"no schedule of {model} performs the counterexample")
        orders = data.objects("mo", "an order")
        found = Execution(
            model=model,
            events=tuple(map(Event.from_fields, data.objects("events", "an event"))),
            modification_order={
                (one.one_of("object", OBJECTS, "atomic"), one.word("loc")): one.events("order")
                for one in orders
            },
            highlight=frozenset(data.events("highlight")),
            threads=tuple(map(ThreadEnd.from_fields, data.objects("threads", "a thread"))),
            objects=tuple(map(MemoryObject.from_fields, data.objects("objects", "an object"))),
        )
        if len(found.modification_order) != len(orders) or len(found.objects) > MOST_OBJECTS:
            raise ValueError("an object has several orders, or there are too many")
        return found


@dataclass(frozen=True)
class PlainAccess:
    """An access that is no event of the graph: what a thread did before the event of that index."""

    thread: int
    index: int
    what: str  # read, write or free
    address: int
    pc: int

    @staticmethod
    def from_fields(data: Fields) -> PlainAccess:
        what = data.one_of("what", ACCESSES)
        return PlainAccess(
            data.thread("t"), data.count("i"), what, data.word("loc", 0), data.word("pc", 0)
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
    def from_json(data: Any, model: str = "") -> Violation:
        """Raises ValueError for what no checker writes."""
        fields = Fields(data, "the violation")
        others = [Fields(data["other"], "the other access")] if fields.has("other") else []
        return Violation(
            kind=fields.one_of("kind", VIOLATIONS),
            message=fields.text("message"),
            thread=fields.thread("thread") if fields.has("thread") else 0,
            pc=fields.word("pc", 0),
            execution=Execution.from_fields(fields, model),
            other=next(map(PlainAccess.from_fields, others), None),
            output=fields.text("output"),
            output_left_out=fields.count("output_left_out"),
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
    def from_json(data: Any, most_events: int = MOST_EVENTS) -> Exploration:
        """Raises ValueError for what no checker writes."""
        fields = Fields(data, "the result")
        model = fields.one_of("model", MODELS)
        verdict = fields.one_of("verdict", ("holds", "violated", "inconclusive"))
        if fields.has("violation") != (verdict == "violated"):
            raise ValueError(f"{verdict} {'with' if fields.has('violation') else 'without'} one")
        violation = None
        if fields.has("violation"):
            found = data["violation"]
            if len(Fields(found, "the violation").several("events")) > most_events:
                raise TooLong(f"a counterexample of more than {most_events:,} events")
            violation = Violation.from_json(found, model)
        assumptions = fields.texts("assumptions")
        usual = fields.wholes("usual", len(assumptions))
        return Exploration(
            model=model,
            verdict=verdict,
            executions=fields.count("executions"),
            blocked=fields.count("blocked"),
            seconds=fields.figure("seconds"),
            reason=fields.text("reason") if fields.has("reason") else "",
            place=fields.word("place") if fields.has("place") else 0,
            violations=fields.count("violations"),
            violation=violation,
            assumptions=assumptions,
            usual=frozenset(assumptions[place] for place in usual),
            stats=fields.figures("stats"),
            sites=tuple(map(_site, fields.several("sites"))),
            coverage=tuple(map(_covered, fields.several("coverage"))),
        )


def _site(data: Any) -> dict[str, Any]:
    """As it is, if it is one."""
    fields = Fields(data, "a call")
    fields.word("pc")
    if fields.one_of("what", {"call", *known_operations()}) != "call":
        fields.whole("size", MOST_BYTES + 1)
        for name in ("orders", "failure"):
            fields.texts(name, ORDERS)
        if not (fields.several("orders") and "failure" in data):
            raise ValueError("a call has no order")
        fields.word("from", 0)
    return dict(data)


def _covered(data: Any) -> dict[str, Any]:
    """As it is, if it is something that the executions have shown of an operation."""
    fields = Fields(data, "what is covered")
    fields.word("pc")
    fields.word("value")
    fields.one_of("what", {"plain", *known_operations()})
    if "shown" not in data:
        raise ValueError("what is covered is not said")
    fields.texts("shown")
    return dict(data)
