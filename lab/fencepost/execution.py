# SPDX-License-Identifier: MIT
"""An execution as the checker reports it: events, who read from whom, and each location's order.

docs/results.md describes the JSON that this is read from.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

#: A thread's number and the event's place in it.
EventId = tuple[int, int]


@dataclass(frozen=True)
class Event:
    id: EventId
    kind: str
    rmw: bool
    order: str
    address: int
    size: int
    value: int
    reads_from: EventId | None  # None: the initial value, or no read at all
    pc: int
    what: str
    step: int

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

    @staticmethod
    def from_json(data: dict[str, Any]) -> Event:
        source = data.get("rf")
        return Event(
            id=(data["t"], data["i"]),
            kind=data["k"],
            rmw=bool(data.get("rmw", False)),
            order=data.get("order", "na"),
            address=int(data.get("loc", 0)),
            size=int(data.get("size", 0)),
            value=int(data.get("val", 0)),
            reads_from=(source[0], source[1]) if isinstance(source, list) else None,
            pc=int(data.get("pc", 0)),
            what=data.get("what", ""),
            step=int(data.get("step", 0)),
        )


@dataclass(frozen=True)
class ThreadEnd:
    """How a thread was left when the execution was over."""

    id: int
    state: str  # finished, running or blocked
    why: str
    pc: int


@dataclass(frozen=True)
class Execution:
    events: tuple[Event, ...]
    modification_order: dict[int, tuple[EventId, ...]]
    highlight: frozenset[EventId] = frozenset()
    threads: tuple[ThreadEnd, ...] = ()

    @cached_property
    def by_id(self) -> dict[EventId, Event]:
        return {event.id: event for event in self.events}

    @cached_property
    def in_steps(self) -> list[Event]:
        return sorted(self.events, key=lambda event: (event.step, event.id))

    @cached_property
    def thread_ids(self) -> list[int]:
        return sorted({event.thread for event in self.events} | {end.id for end in self.threads})

    @cached_property
    def _place_in_order(self) -> dict[EventId, tuple[int, int]]:
        return {
            event: (address, place)
            for address, order in self.modification_order.items()
            for place, event in enumerate(order)
        }

    def overtaken_by(self, read: Event) -> Event | None:
        """The write that immediately follows, in its location's order, the one that was read."""
        order = self.modification_order.get(read.address, ())
        place = -1
        if read.reads_from is not None:
            if read.reads_from not in self._place_in_order:
                return None
            place = self._place_in_order[read.reads_from][1]
        following = [event for event in order[place + 1 :] if event in self.by_id]
        # A read-modify-write's own write follows what it read: that is no overtaking.
        own = (read.id[0], read.id[1] + 1)
        return self.by_id[following[0]] if following and following[0] != own else None

    def newest_before(self, read: Event) -> Event | None:
        """For a stale read, the newest write of its location among the steps before it."""
        order = self.modification_order.get(read.address, ())
        place = self._place_in_order[read.reads_from][1] if read.reads_from in (order or ()) else -1
        if read.reads_from is not None and place < 0:
            return None
        for event_id in reversed(order[place + 1 :]):
            event = self.by_id.get(event_id)
            if event and event.step < read.step:
                return event
        return None

    @staticmethod
    def from_json(data: dict[str, Any]) -> Execution:
        return Execution(
            events=tuple(Event.from_json(event) for event in data.get("events", ())),
            modification_order={
                int(entry["loc"]): tuple((t, i) for t, i in entry["order"])
                for entry in data.get("mo", ())
            },
            highlight=frozenset((t, i) for t, i in data.get("highlight", ())),
            threads=tuple(
                ThreadEnd(end["id"], end["state"], end.get("why", ""), int(end.get("pc", 0)))
                for end in data.get("threads", ())
            ),
        )


@dataclass(frozen=True)
class Violation:
    kind: str
    message: str
    thread: int
    pc: int
    execution: Execution

    @staticmethod
    def from_json(data: dict[str, Any]) -> Violation:
        return Violation(
            kind=data["kind"],
            message=data.get("message", ""),
            thread=int(data.get("thread", 0)),
            pc=int(data.get("pc", 0)),
            execution=Execution.from_json(data),
        )


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
    stats: dict[str, Any] = field(default_factory=dict)

    @staticmethod
    def from_json(data: dict[str, Any]) -> Exploration:
        violation = data.get("violation")
        return Exploration(
            model=data["model"],
            verdict=data["verdict"],
            executions=int(data.get("executions", 0)),
            blocked=int(data.get("blocked", 0)),
            seconds=float(data.get("seconds", 0)),
            reason=data.get("reason") or "",
            place=int(data.get("place") or 0),
            violations=int(data.get("violations") or 0),
            violation=Violation.from_json(violation) if violation else None,
            assumptions=tuple(data.get("assumptions", ())),
            stats=dict(data.get("stats") or {}),
        )
