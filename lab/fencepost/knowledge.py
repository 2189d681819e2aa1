# SPDX-License-Identifier: MIT
"""What each thread must know of what the others wrote, by happens-before and coherence.

A thread's *view* holds for each object the place in modification order before which it can read no
more: what it wrote and read itself, and what came to it with the writes that it synchronised with.
Writes behind that place are known to have happened to nobody in particular: the thread may read
them, and it may go on reading an older one. (Where all of an object's accesses are seq_cst, or
seq_cst fences stand between them, their total order decides some of these cases, too.)
"""

from __future__ import annotations

from collections import defaultdict

from fencepost.execution import Event, EventId, Execution, ObjectId

View = dict[ObjectId, int]

ACQUIRES = ("acq", "acq_rel", "sc")
RELEASES = ("rel", "acq_rel", "sc")


def _join(view: View, other: View) -> None:
    for place, seen in other.items():
        view[place] = max(view.get(place, -1), seen)


class Knowledge:
    """The threads' views, event by event in the order of the steps."""

    def __init__(self, execution: Execution) -> None:
        self._execution = execution
        self._views: dict[int, View] = defaultdict(dict)
        self._to_acquire: dict[int, View] = defaultdict(dict)  # by the next acquire fence
        self._fenced: dict[int, View] = defaultdict(dict)  # at the last release fence
        #: What a write carries to those who acquire it, by the thread of the release sequence.
        self._carried: dict[EventId, dict[int, View]] = {}
        self._at_start: dict[int, View] = {}
        #: At what others come after without reading it: a barrier, a reader that left.
        self._left_behind: dict[EventId, View] = {}

    def place(self, thread: int, where: ObjectId) -> int:
        """The place in modification order of the oldest write that it may read; -1: the initial
        value."""
        return self._views[thread].get(where, -1)

    def add(self, event: Event) -> None:
        thread = event.thread
        view = self._views[thread]
        if event.id[1] == 0:
            _join(view, self._at_start.get(thread, {}))
        if event.kind == "create":
            self._at_start[event.value] = dict(view)
        elif event.joins_thread:
            _join(view, self._views[event.value])
        elif event.is_tie and event.reads_from in self._left_behind:
            _join(view, self._left_behind[event.reads_from])
        elif event.kind == "F":
            self._fence(event)
        elif event.is_read:
            self._read(event, view)
        elif event.is_write:
            self._write(event, view)
        if event.is_tie or event.what == "rwlock-unlock":
            self._left_behind[event.id] = dict(view)

    def _fence(self, event: Event) -> None:
        if event.order in ACQUIRES:
            _join(self._views[event.thread], self._to_acquire[event.thread])
        if event.order in RELEASES:
            self._fenced[event.thread] = dict(self._views[event.thread])

    def _read(self, event: Event, view: View) -> None:
        for where, source in zip(event.places, event.sources, strict=True):
            if source is None:
                continue
            _join(view, {where: self._execution.place_in_order.get((where, source), -1)})
            for carried in self._carried.get(source, {}).values():
                acquired = event.order in ACQUIRES
                _join(view if acquired else self._to_acquire[event.thread], carried)

    def _write(self, event: Event, view: View) -> None:
        before: dict[int, View] = {}
        for where in event.places:
            place = self._execution.place_in_order.get((where, event.id), -1)
            _join(view, {where: place})
            order = self._execution.modification_order.get(where, ())
            for thread, old in (
                self._carried.get(order[place - 1], {}) if place > 0 else {}
            ).items():
                _join(before.setdefault(thread, {}), old)
        if event.rmw:
            carried = {thread: dict(old) for thread, old in before.items()}
        elif self._execution.model == "c++14" and event.thread in before:
            carried = {event.thread: dict(before[event.thread])}  # it goes on with its own sequence
        else:
            carried = {}
        own = carried.setdefault(event.thread, {})
        _join(own, self._fenced[event.thread])
        if event.order in RELEASES:
            _join(own, view)
        self._carried[event.id] = carried
