# SPDX-License-Identifier: MIT
"""The arrows between a counterexample's steps: who read whose value, and in which order things
came."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from fencepost.execution.schema import EventId, Execution
from fencepost.execution.steps import Step

#: Operations on mutexes and sleepers whose source another thread's step is.
HAND_OVERS = (
    "mutex-lock",
    "mutex-trylock",
    "spin-lock",
    "spin-trylock",
    "rwlock-read",
    "rwlock-tryread",
    "rwlock-write",
    "rwlock-trywrite",
    "semaphore-wait",
    "semaphore-trywait",
    "futex-woken",
    "cond-woken",
)


@dataclass(frozen=True)
class Edge:
    kind: str
    source: int  # step numbers
    target: int
    strong: bool


def edges_between(execution: Execution, steps: list[Step]) -> Iterator[Edge]:
    number = {event: step.number for step in steps for event in step.events}
    by_number = {step.number: step for step in steps}

    def edge(kind: str, source: EventId, target: EventId) -> Iterator[Edge]:
        first, last = number.get(source), number.get(target)
        if first is None or last is None or first == last:
            return
        strong = by_number[first].highlight and by_number[last].highlight
        # Within a thread the column already says it, unless the thread is at odds with itself.
        if by_number[first].thread != by_number[last].thread or (strong and first > last):
            yield Edge(kind, first, last, strong)

    for event in execution.events:
        shows_source = event.is_atomic or event.what in HAND_OVERS
        for source in event.writes_read if event.is_read and shows_source else ():
            yield from edge("rf", source, event.id)
        # What follows the write of a read-modify-write says nothing about its read.
        if event.is_read and event.is_atomic and execution.written_by(event) is None:
            for newer in execution.newer_than(event)[:1]:
                yield from edge("fr", event.id, newer.id)
        if event.kind == "create":
            first = next((s for s in steps if s.thread == event.value), None)
            if first:
                yield from edge("sync", event.id, first.events[0])
        if event.is_tie and event.reads_from is not None:
            yield from edge("sync", event.reads_from, event.id)
        elif event.joins_thread:
            last = next((s for s in reversed(steps) if s.thread == event.value), None)
            if last:
                yield from edge("sync", last.events[0], event.id)
    if execution.clashing:
        other, noticed = execution.clashing
        yield from edge("race", other.id, noticed.id)
    for (kind, _), order in execution.modification_order.items():
        shown = [event for event in order if event in number] if kind == "atomic" else []
        for earlier, later in pairwise(shown):
            if _reads_directly(execution, later, earlier):
                continue  # a read-modify-write follows what it read: rf says it already
            yield from edge("mo", earlier, later)


def _reads_directly(execution: Execution, write: EventId, source: EventId) -> bool:
    read = execution.by_id.get((write[0], write[1] - 1))
    return bool(
        read and source in read.writes_read and execution.written_by(read) is execution.by_id[write]
    )
