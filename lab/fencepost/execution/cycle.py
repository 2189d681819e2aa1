# SPDX-License-Identifier: MIT
"""The heart of a weak execution: a shortest cycle of program order and communication.

An execution that some interleaving explains has no cycle of program order, reads-from, modification
order and from-read. Where there is one, its events are what a reader must look at.
"""

from __future__ import annotations

from collections import deque
from itertools import pairwise

from fencepost.execution.schema import Event, EventId, Execution

#: Beyond this many events a shortest cycle costs more than it tells.
MANY_EVENTS = 600


def _accesses(execution: Execution) -> list[Event]:
    return [event for event in execution.events if event.is_atomic]


def _communication(execution: Execution, events: list[Event]) -> dict[EventId, set[EventId]]:
    edges: dict[EventId, set[EventId]] = {event.id: set() for event in events}
    for event in events:
        if event.is_read:
            for source in event.writes_read:
                if source in edges:
                    edges[source].add(event.id)
            for newer in execution.newer_than(event)[:1]:
                edges[event.id].add(newer.id)
    for (kind, _), order in execution.modification_order.items():
        shown = [event for event in order if event in edges] if kind == "atomic" else []
        for earlier, later in pairwise(shown):
            edges[earlier].add(later)
    return edges


def shortest_cycle(execution: Execution) -> tuple[EventId, ...]:
    """The events of a shortest cycle in its order, of one that meets the highlighted events if any
    does. From the last to the first it goes by communication or program order, as in between."""
    events = _accesses(execution)
    if len(events) > MANY_EVENTS:
        return ()
    edges = _communication(execution, events)
    threads: dict[int, list[EventId]] = {}
    for event in sorted(events, key=lambda event: event.id):
        threads.setdefault(event.thread, []).append(event.id)
    best: tuple[bool, int, tuple[EventId, ...]] | None = None
    for start in edges:
        if not any(target[0] != start[0] for target in edges[start]):
            continue
        path = _path_back(start, edges, threads)
        if path:
            found = (not execution.highlight & set(path), len(path), tuple(path))
            if best is None or found[:2] < best[:2]:
                best = found
    return best[2] if best else ()


def _path_back(
    start: EventId, edges: dict[EventId, set[EventId]], threads: dict[int, list[EventId]]
) -> list[EventId]:
    """A shortest way from `start` to itself whose first step communicates with another thread."""
    came: dict[EventId, EventId] = {}
    #: In each thread all events from this place on have been come to.
    passed = {thread: len(own) for thread, own in threads.items()}
    queue: deque[EventId] = deque()
    for target in sorted(edges[start]):
        if target[0] != start[0]:
            came[target] = start
            queue.append(target)
    while queue:
        event = queue.popleft()
        own = threads[event[0]]
        following = own.index(event) + 1
        onward = edges[event] | set(own[following : passed[event[0]]])
        passed[event[0]] = min(following, passed[event[0]])
        for target in sorted(onward):
            if target == start:
                path = [event]
                while path[-1] != start:
                    path.append(came[path[-1]])
                return path[::-1]
            if target not in came:
                came[target] = event
                queue.append(target)
    return []
