# SPDX-License-Identifier: MIT
"""Whether the parts of an execution agree with each other: what refers to something refers to what
there is, and before it. Everything that explains, draws or replays an execution relies on it.

A checked program shares a process with the checker, so what comes from it is looked at before it is
believed (docs/design/trust.md). Whether the model allows the execution is not asked here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import islice
from typing import Any

from fencepost.execution.operations import ONLY_ORDER
from fencepost.execution.schema import (
    MOST_EVENTS,
    Event,
    EventId,
    Execution,
    Exploration,
    ObjectId,
    Violation,
)


def result_of(data: Any, most_events: int = MOST_EVENTS) -> Exploration:
    """What a checked program has written as its result. Raises ValueError for what no checker
    writes."""
    found = Exploration.from_json(data, most_events)
    if found.violation:
        refuse_inconsistent(found.violation)
    return found


def refuse_inconsistent(violation: Violation) -> None:
    """Raises ValueError."""
    for text in islice(_mistakes(violation), 1):
        raise ValueError(text)


def _mistakes(violation: Violation) -> Iterator[str]:
    execution = violation.execution
    yield from _of_threads(violation)
    yield from _of_events(execution)
    yield from _of_orders(execution)
    for one in execution.highlight - set(execution.by_id):
        yield f"event {one} is highlighted and there is none"
    yield from _of_race(violation)


def _of_threads(violation: Violation) -> Iterator[str]:
    execution = violation.execution
    counts = Counter(event.thread for event in execution.events)
    if [end.id for end in execution.threads] != list(range(len(execution.threads))):
        yield "the threads are not numbered one after the other"
    if execution.threads and max((*counts, violation.thread)) >= len(execution.threads):
        yield "a thread is not told of"
    if counts and violation.thread not in counts:
        yield f"thread {violation.thread}, which fails, does nothing"
    for end in execution.threads:
        if end.waits and end.id not in counts:
            yield f"thread {end.id} waits before it begins"
    other = violation.other
    if other and not 0 < other.index <= counts[other.thread]:
        yield "what it clashes with comes before or after its thread"


def _of_events(execution: Execution) -> Iterator[str]:
    counts = Counter(event.thread for event in execution.events)
    widths = {len(event.clock) for event in execution.events}
    if len(widths) > 1 or (widths and max(counts) >= min(widths)):
        yield "the clocks are not of the same threads"
        return
    told: dict[EventId, Event] = {}
    following = Counter[int]()
    started = set[int]()
    for event in execution.events:
        thread, index = event.id
        if index != following[thread]:
            yield f"event {event.id} is not the next one of its thread"
        following[thread] += 1
        if any(count > counts[one] for one, count in enumerate(event.clock)):
            yield f"more happens before event {event.id} than there is"
        if event.clock[thread] != index + 1:
            yield f"the clock of event {event.id} does not count its own thread's"
        if event.kind == "create":
            # Who is started later has a greater number, so nobody starts who has started him.
            if event.value <= thread or event.value in started:
                yield f"event {event.id} starts a thread that there is already"
            started.add(event.value)
        if event.is_atomic and event.what in ONLY_ORDER:
            yield f"event {event.id} is an access that is none"
        for source in event.writes_read:
            if source not in told:
                yield f"event {event.id} comes before {source}, which it needs"
            elif event.is_read and not told[source].is_write:
                yield f"event {event.id} reads from {source}, which writes nothing"
        told[event.id] = event
    for event in execution.events:
        for store in event.waiting:
            if store not in told or not told[store].is_write:
                yield f"{store} waits in a buffer and is no store"


def _of_orders(execution: Execution) -> Iterator[str]:
    by_id = execution.by_id
    written: dict[ObjectId, set[EventId]] = {}
    for place, order in execution.modification_order.items():
        written[place] = set(order)
        if len(written[place]) != len(order):
            yield "a write is twice in its order"
        for id in order:
            if id not in by_id or not by_id[id].is_write or place not in by_id[id].places:
                yield f"event {id} is in an order in which it has no place"
    for event in execution.events:
        if not event.is_access:
            continue
        sources = (event.id,) * len(event.places) if event.is_write else event.sources
        for place, source in zip(event.places, sources, strict=True):
            if source is not None and source not in written.get(place, ()):
                yield f"event {event.id} is of {source}, which is in no order"


def _of_race(violation: Violation) -> Iterator[str]:
    """Both accesses are known."""
    others = [one for one in violation.execution.highlight if one[0] != violation.thread]
    if violation.kind == "data-race" and violation.other is None and not others:
        yield "an access races with none"
