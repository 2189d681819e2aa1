# SPDX-License-Identifier: MIT
"""The order in which the events of an execution are told.

Program order, starting and joining threads, and reads-from are always kept. Modification order and
the precedence of a read over the writes it did not see are kept where possible: if an
interleaving explains the execution the reader gets one, and where none does only the heart of the
matter looks odd.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fencepost.execution import Event, EventId, Execution

#: What it costs to tell a write before one that its object's order puts first, and to tell a write
#: before a read that did not see it: a stale read is the easier to follow.
ORDER_COST = 100
STALE_COST = 1


Must = dict["EventId", set["EventId"]]
Should = dict["EventId", dict["EventId", int]]


def _before(execution: Execution) -> tuple[Must, Should]:
    """For each event what must be told before it, and what should be and at which price."""
    must: dict[EventId, set[EventId]] = defaultdict(set)
    should: dict[EventId, dict[EventId, int]] = defaultdict(dict)
    first: dict[int, EventId] = {}
    last: dict[int, EventId] = {}
    for event in sorted(execution.events, key=lambda event: event.id):
        if event.thread in last:
            must[event.id].add(last[event.thread])
        first.setdefault(event.thread, event.id)
        last[event.thread] = event.id
    for event in execution.events:
        if event.kind == "create" and event.value in first:
            must[first[event.value]].add(event.id)
        if event.kind == "join" and event.value in last:
            must[event.id].add(last[event.value])
        if event.is_read:
            if event.reads_from in execution.by_id:
                must[event.id].add(event.reads_from)
            for newer in execution.newer_than(event)[:1]:
                should[newer.id][event.id] = STALE_COST
    for order in execution.modification_order.values():
        for earlier, later in pairwise(event for event in order if event in execution.by_id):
            should[later][earlier] = ORDER_COST
    return must, should


def told_in_order(execution: Execution) -> list[Event]:
    """All events; one thread goes on for as long as nothing speaks against it."""
    must, should = _before(execution)
    threads: dict[int, list[Event]] = defaultdict(list)
    for event in sorted(execution.events, key=lambda event: event.id):
        threads[event.thread].append(event)
    told: dict[EventId, Event] = {}
    current = min(threads, default=0)
    while True:
        ready = [
            events[0]
            for events in threads.values()
            if events and all(earlier in told for earlier in must[events[0].id])
        ]
        if not ready:
            # Only events that contradict each other are left: tell them as they were reported.
            rest = (event for events in threads.values() for event in events)
            return [*told.values(), *sorted(rest, key=lambda event: (event.step, event.id))]
        # Joining can wait: it says nothing that a reader is after.
        event = min(
            ready,
            key=lambda e: (
                _price(should[e.id], told),
                e.kind == "join",
                e.thread != current,
                e.id,
            ),
        )
        told[event.id] = event
        threads[event.thread].pop(0)
        current = event.thread


def _price(should: dict[EventId, int], told: Iterable[EventId]) -> int:
    return sum(price for earlier, price in should.items() if earlier not in told)
