# SPDX-License-Identifier: MIT
"""What each thread must know of what the others wrote, by happens-before and coherence.

For each object there is a place in modification order before which a thread can read no more: that
of the newest write which happens before it, or which was read by what happens before it. Writes
behind that place are known to have happened to nobody in particular: the thread may read them, and
it may go on reading an older one. (Where all of an object's accesses are seq_cst, or seq_cst fences
stand between them, their total order decides some of these cases, too.)
"""

from __future__ import annotations

from collections import defaultdict

from fencepost.execution.schema import Event, EventId, Execution, ObjectId


class Knowledge:
    """The threads' places, event by event in the order of the steps."""

    def __init__(self, execution: Execution) -> None:
        self._execution = execution
        self._places: dict[int, dict[ObjectId, int]] = defaultdict(dict)
        #: How far each thread's knowledge of each other one goes.
        self._known: dict[int, dict[int, int]] = defaultdict(lambda: defaultdict(int))

    def place(self, thread: int, where: ObjectId) -> int:
        """The place in modification order of the oldest write that it may read; -1: the initial
        value."""
        return self._places[thread].get(where, -1)

    def add(self, event: Event) -> None:
        places, known = self._places[event.thread], self._known[event.thread]
        for thread, count in enumerate(event.clock):
            for index in range(known[thread], count):
                for where, write in self._seen_by((thread, index)):
                    place = self._execution.place_in_order.get((where, write), -1)
                    places[where] = max(places.get(where, -1), place)
            known[thread] = max(known[thread], count)

    def _seen_by(self, id: EventId) -> list[tuple[ObjectId, EventId]]:
        """The writes that who comes after the event knows by it."""
        event = self._execution.by_id.get(id)
        if event is None or not event.is_access:
            return []
        if event.is_write:
            return [(where, id) for where in event.places]
        read = zip(event.places, event.sources, strict=True)
        return [(where, source) for where, source in read if source is not None]
