# SPDX-License-Identifier: MIT
"""The plain accesses that clash, as events of their own.

Plain accesses are no events of an execution graph. The two that race are what a reader is after,
so they are put in where their threads came to them.
"""

from __future__ import annotations

import re
from dataclasses import replace

from fencepost.execution.schema import Event, EventId, Execution, Violation

_ENDS = {
    "memory is freed": "free",
    "a static object is destroyed": "destroy",
    "an object is destroyed": "destroy",
}
#: What is told by a phrase of its own (steps.py).
_NAMED = (*_ENDS.values(), "allocate", "notification")
_SUBJECT = re.compile(rf"an? ((?:plain|atomic) (?:read|write)|notification)|({'|'.join(_ENDS)})")
_ADDRESS = re.compile(r"address 0x([0-9a-f]{1,16})\b")


def with_plain_accesses(violation: Violation) -> Violation:
    """The violation with the access at which it was noticed, and the one that it clashes with."""
    subject = _SUBJECT.match(violation.message)
    address = _ADDRESS.search(violation.message)
    clashes = violation.other is not None or violation.kind == "data-race"
    if not (clashes and subject and address):
        return violation
    execution, added = violation.execution, []
    if other := violation.other:
        place = (other.thread, other.index)
        execution = _with_room(execution, place)
        what = other.what if other.what in _NAMED else f"plain {other.what}"
        added.append(_access(execution, place, what, other.address, other.pc))
        execution = _with(execution, added[-1])
    own = [e.id[1] for e in execution.events if e.thread == violation.thread]
    place = (violation.thread, max(own, default=0) + 1)
    what = subject[1] or _ENDS[subject[2]]
    added.append(_access(execution, place, what, int(address[1], 16), violation.pc))
    execution = _with(execution, added[-1])
    highlight = execution.highlight.union(event.id for event in added)
    return replace(violation, execution=replace(execution, highlight=highlight))


def _access(execution: Execution, id: EventId, what: str, address: int, pc: int) -> Event:
    before = execution.by_id.get((id[0], id[1] - 1))
    threads = max((len(event.clock) for event in execution.events), default=0)
    clock = list(before.clock) if before else []
    clock += [0] * (max(threads, id[0] + 1) - len(clock))
    clock[id[0]] = id[1] + 1
    waiting = before.waiting if before else ()
    return Event(id, "plain", False, "na", "", address, 0, 0, None, pc, what, tuple(clock), waiting)


def _with(execution: Execution, access: Event) -> Execution:
    """The execution with an access, told right after what its thread did before."""
    earlier = (access.thread, access.id[1] - 1)
    place = execution.position[earlier] + 1 if earlier in execution.position else 0
    events = (*execution.events[:place], access, *execution.events[place:])
    return replace(execution, events=events)


def _with_room(execution: Execution, room: EventId) -> Execution:
    """The same execution, the events of that thread from there on moved by one."""
    thread, first = room

    def moved(event: EventId) -> EventId:
        return (thread, event[1] + 1) if event[0] == thread and event[1] >= first else event

    def of_clock(clock: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(n + 1 if t == thread and n > first else n for t, n in enumerate(clock))

    return replace(
        execution,
        events=tuple(
            replace(
                e,
                id=moved(e.id),
                reads_from=moved(e.reads_from) if e.reads_from else None,
                clock=of_clock(e.clock),
                waiting=tuple(map(moved, e.waiting)),
                pieces=tuple(
                    replace(p, reads_from=moved(p.reads_from)) if p.reads_from else p
                    for p in e.pieces
                ),
            )
            for e in execution.events
        ),
        modification_order={
            place: tuple(map(moved, order)) for place, order in execution.modification_order.items()
        },
        highlight=frozenset(map(moved, execution.highlight)),
    )
