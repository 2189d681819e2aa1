# SPDX-License-Identifier: MIT
"""Which steps of an execution its violation needs, and why it does not need the others.

The causal past of what goes wrong (program order, reads-from, starts and joins) is an execution of
its own in which the same goes wrong, so nothing outside it is needed. Where threads are stuck, what
the others did to the words that the stuck ones look at is needed, too: it is what they did not do
afterwards that nobody comes to help. Of what is left, a variable that a single thread uses tells
nothing about the threads.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace

from fencepost.execution.schema import (
    STUCK,
    Event,
    EventId,
    Execution,
    ObjectId,
    ThreadEnd,
    Violation,
)
from fencepost.execution.steps import Step, steps_of
from fencepost.execution.symbolise import Names


@dataclass(frozen=True)
class Needed:
    """An execution and what of it is left when everything that the violation can do without is."""

    execution: Execution
    outside: frozenset[EventId]  # after what went wrong, or without influence on it
    private: frozenset[EventId]  # on what one thread alone uses


def needed(violation: Violation) -> Needed:
    execution = violation.execution
    if violation.kind in STUCK:
        roots = _stuck(execution)
    else:
        roots = {*execution.highlight, *_last(execution, violation.thread)}
    past = _past(execution, roots)
    everything = frozenset(execution.by_id)
    private = _private(execution, past) - _whole(execution, roots)
    kept = past - private
    busy = _busy(violation, kept)
    told = frozenset(event for event in kept if _concerns(execution.by_id[event], busy))
    ends = tuple(end for end in execution.threads if end.id in busy)
    part = replace(execution.restricted(told), threads=ends)
    return Needed(part, everything - past, past - told)


def needed_steps(violation: Violation, names: Names) -> tuple[Needed, list[Step]]:
    """What is needed as steps, which keep the numbers that they have in the whole execution."""
    numbers = {
        event: step.number for step in steps_of(violation.execution, names) for event in step.events
    }
    less = needed(violation)
    return less, steps_of(less.execution, names, numbers)


def _busy(violation: Violation, kept: Iterable[EventId]) -> set[int]:
    """The threads that do something still, are stuck or fail, and who started them."""
    execution = violation.execution
    busy = {end.id for end in execution.threads if end.state == "blocked"} | {violation.thread}
    events = [execution.by_id[event] for event in kept]
    busy |= {event.thread for event in events if _does_something(event)}
    starters = {event.value: event.thread for event in events if event.kind == "create"}
    for thread in list(busy):
        while thread in starters:
            thread = starters[thread]
            busy.add(thread)
    return busy


def _does_something(event: Event) -> bool:
    return event.is_access or event.is_tie or event.kind in ("F", "plain")


def _concerns(event: Event, threads: set[int]) -> bool:
    """Whether it belongs to one of the threads, and starts or joins no other."""
    return event.thread in threads and (
        not (event.kind == "create" or event.joins_thread) or event.value in threads
    )


def _last(execution: Execution, thread: int) -> set[EventId]:
    own = [event.id for event in execution.events if event.thread == thread]
    return {max(own)} if own else set()


def _only_joins(end: ThreadEnd) -> bool:
    return "join" in end.why or "thread to end" in end.why


def _stuck(execution: Execution) -> set[EventId]:
    """The last events of those who are stuck, not just waiting for one who is, and all that was
    done to the objects that they used."""
    blocked = [end for end in execution.threads if end.state == "blocked"]
    stuck = [end.id for end in blocked if not _only_joins(end)] or [end.id for end in blocked]
    roots = {event for thread in stuck for event in _last(execution, thread)}
    accesses = [e for e in execution.events if e.is_access]
    used = {place for e in accesses if e.thread in stuck for place in e.places}
    return roots | {e.id for e in accesses if not used.isdisjoint(e.places)}


def _whole(execution: Execution, events: Iterable[EventId]) -> frozenset[EventId]:
    """The events with the other parts of the read-modify-writes that they are in."""
    whole = set(events)
    for event in execution.events:
        written = execution.written_by(event)
        if written is not None:
            unit = {(event.thread, i) for i in range(event.id[1], written.id[1] + 1)}
            if unit & whole:
                whole |= unit
    return frozenset(whole)


def _past(execution: Execution, roots: Iterable[EventId]) -> frozenset[EventId]:
    starts = {e.value: e.id for e in execution.events if e.kind == "create"}
    last: dict[int, EventId] = {}
    for event in execution.events:
        last[event.thread] = max(event.id, last.get(event.thread, event.id))
    found: set[EventId] = set()
    left = list(_whole(execution, roots))
    while left:
        one = left.pop()
        if one in found or one not in execution.by_id:
            continue
        found.add(one)
        event = execution.by_id[one]
        thread, index = event.id
        if (thread, index - 1) in execution.by_id:
            left.append((thread, index - 1))
        elif thread in starts:
            left.append(starts[thread])
        left.extend(event.writes_read)
        if event.joins_thread and event.value in last:
            left.append(last[event.value])
        written = execution.written_by(event)
        if written is not None:
            left.append(written.id)
    return frozenset(found)


def _private(execution: Execution, past: frozenset[EventId]) -> frozenset[EventId]:
    users: dict[ObjectId, set[int]] = defaultdict(set)
    accesses = [execution.by_id[event] for event in past if execution.by_id[event].is_access]
    for event in accesses:
        for place in event.places:
            users[place].add(event.thread)
    return frozenset(
        event.id for event in accesses if all(len(users[place]) == 1 for place in event.places)
    )
