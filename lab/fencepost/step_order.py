# SPDX-License-Identifier: MIT
"""The order in which the events of an execution are told.

Program order, starting and joining threads, and reads-from are always kept. Modification order and
the precedence of a read over the writes it did not see are kept where possible: if an
interleaving explains the execution the reader gets one, and where none does only the heart of the
matter looks odd.
"""

from __future__ import annotations

from collections import defaultdict
from copy import copy
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
        if event.is_tie and event.reads_from in execution.by_id:
            must[event.id].add(event.reads_from)
        elif event.joins_thread and event.value in last:
            must[event.id].add(last[event.value])
        if event.is_read:
            must[event.id].update(w for w in event.writes_read if w in execution.by_id)
            for newer in execution.newer_than(event)[:1]:
                should[newer.id][event.id] = STALE_COST
    for order in execution.modification_order.values():
        for earlier, later in pairwise(event for event in order if event in execution.by_id):
            should[later][earlier] = ORDER_COST
    return must, should


#: Beyond this many events the price is paid where it comes up, without a look at what follows.
MANY_EVENTS = 400


def told_in_order(execution: Execution) -> list[Event]:
    """All events; one thread goes on for as long as nothing speaks against it."""
    return _Telling(execution).all_told()


class _Telling:
    def __init__(self, execution: Execution) -> None:
        self._must, self._should = _before(execution)
        self._threads: dict[int, list[Event]] = defaultdict(list)
        for event in sorted(execution.events, key=lambda event: event.id):
            self._threads[event.thread].append(event)
        self._told: dict[EventId, Event] = {}
        self._current = min(self._threads, default=0)
        self._paid = 0
        self._looks_ahead = len(execution.events) <= MANY_EVENTS

    def all_told(self) -> list[Event]:
        while ready := self._ready():
            event = min(ready, key=self._rank)
            if self._looks_ahead and self._price(event) > 0 and len(ready) > 1:
                event = min(ready, key=lambda event: (self._price_of_all(event), self._rank(event)))
            self._tell(event)
        # Only events that contradict each other are left: tell them as they were reported.
        rest = (event for events in self._threads.values() for event in events)
        return [*self._told.values(), *sorted(rest, key=lambda event: (event.step, event.id))]

    def _ready(self) -> list[Event]:
        return [
            events[0]
            for events in self._threads.values()
            if events and all(earlier in self._told for earlier in self._must[events[0].id])
        ]

    def _rank(self, event: Event) -> tuple[int, bool, bool, EventId]:
        # Joining can wait: it says nothing that a reader is after.
        return (self._price(event), event.kind == "join", event.thread != self._current, event.id)

    def _price(self, event: Event) -> int:
        should = self._should[event.id]
        return sum(price for earlier, price in should.items() if earlier not in self._told)

    def _tell(self, event: Event) -> None:
        self._paid += self._price(event)
        self._told[event.id] = event
        self._threads[event.thread].pop(0)
        self._current = event.thread

    def _price_of_all(self, event: Event) -> int:
        """What is paid to the end if this one is told now and the cheapest from then on."""
        rest = copy(self)
        rest._told = dict(self._told)
        rest._threads = {thread: list(events) for thread, events in self._threads.items()}
        rest._looks_ahead = False
        rest._tell(event)
        rest.all_told()
        return rest._paid
