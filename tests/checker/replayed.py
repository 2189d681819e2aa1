# SPDX-License-Identifier: MIT
"""Performs a counterexample again as its JSON tells it: the events in their order, each store in
its processor's buffer for as long as the JSON says, each read from what memory holds by then.

What is told of clocks is compared with coherence: who reads a write knows of it and of no later
one.  This knows nothing of how the checker finds an order, or of its clocks.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

Id = tuple[int, int]
Place = tuple[str, int]
Json = dict[str, Any]

#: Told as one object, and several words to the checker.
SEVERAL_WORDS = "rwlock"


def mistakes(data: Json, model: str) -> Iterator[str]:
    """What is wrong with a violation's events, in words."""
    if not data["scheduled"]:
        yield f"{model} has no schedule for it"
    yield from _order(data)
    yield from _clocks(data)
    if model in ("sc", "x86"):
        yield from _Machine(data, model).mistakes()
    elif any("waiting" in event for event in data["events"]):
        yield f"a store waits in a buffer under {model}"


def _id(event: Json) -> Id:
    return (event["t"], event["i"])


def _places(event: Json) -> list[tuple[Place, Id | None]]:
    """What it accesses, and of each where it is read from."""
    if event["k"] not in ("R", "W") or event["object"] == SEVERAL_WORDS:
        return []
    pieces = event.get("pieces", [event])
    sources = [piece.get("rf", "init") for piece in pieces]
    return [
        ((event["object"], piece["loc"]), None if source == "init" else tuple(source))
        for piece, source in zip(pieces, sources, strict=True)
    ]


def _orders(data: Json) -> dict[Place, list[Id]]:
    return {(one["object"], one["loc"]): [tuple(e) for e in one["order"]] for one in data["mo"]}


def _order(data: Json) -> Iterator[str]:
    """Is each event told after what it needs?"""
    told: set[Id] = set()
    next_one: dict[int, int] = defaultdict(int)
    starts = {e["thread"]: _id(e) for e in data["events"] if e["k"] == "create" and "thread" in e}
    for event in data["events"]:
        thread, index = _id(event)
        if index != next_one[thread]:
            yield f"event {thread, index} is not the next of its thread"
        next_one[thread] = index + 1
        if index == 0 and thread in starts and starts[thread] not in told:
            yield f"thread {thread} begins before it is started"
        needed = {source for _, source in _places(event)} - {None}
        if event["k"] == "join" and "rf" in event:
            needed.add(tuple(event["rf"]))
        for missing in needed - told:
            yield f"event {thread, index} comes before {missing}, which it needs"
        told.add((thread, index))


def _clocks(data: Json) -> Iterator[str]:
    """Does each thread know what it must, and nothing that it cannot?"""
    orders = _orders(data)
    rank = {
        (where, event): place
        for where, order in orders.items()
        for place, event in enumerate(order)
    }
    known: dict[Id, dict[Place, int]] = {}
    last: dict[int, list[int]] = {}
    told: set[Id] = set()
    for event in data["events"]:
        id, clock = _id(event), event["hb"]
        told.add(id)
        if clock[id[0]] != id[1] + 1:
            yield f"the clock of {id} does not count its own thread's events"
        if any(now < before for now, before in zip(clock, last.get(id[0], clock), strict=False)):
            yield f"the clock of {id} goes back"
        last[id[0]] = clock
        places: dict[Place, int] = {}
        for thread, count in enumerate(clock):
            latest = (thread, count - (2 if thread == id[0] else 1))
            if latest[1] < 0:
                continue
            if latest not in told:
                yield f"{latest} happens before {id}, and comes after it"
            for where, place in known.get(latest, {}).items():
                places[where] = max(places.get(where, -1), place)
        for where, source in _places(event):
            at = id if event["k"] == "W" else source
            place = rank.get((where, at), -1) if at else -1
            if places.get(where, -1) > place:
                yield f"{id} is of an older write of {where} than one that happens before it"
            places[where] = max(places.get(where, -1), place)
        known[id] = places


class _Machine:
    """Memory, and a store buffer for each thread."""

    def __init__(self, data: Json, model: str) -> None:
        self._events, self._model = data["events"], model
        self._orders = _orders(data)
        self._performed: list[Id] = []
        self._writes = {
            _id(e): [where for where, _ in _places(e)] for e in data["events"] if e["k"] == "W"
        }

    def mistakes(self) -> Iterator[str]:
        left: set[Id] = set()  # the buffer
        for event in self._events:
            waiting = [tuple(one) for one in event.get("waiting", ())]
            if waiting and self._model == "sc":
                yield f"a store waits in a buffer under sc: {waiting}"
            back = left.intersection(waiting)
            if back:
                yield f"{sorted(back)} are in a buffer again"
            left |= {w for w in self._performed if w in self._writes and w not in waiting}
            yield from self._out_of_order(left, waiting, event)
            yield from self._reads(left, waiting, event)
            if _id(event) in self._writes and _id(event) not in waiting:  # at once
                left.add(_id(event))
                yield from self._out_of_order(left, waiting, event)
            if _waits_for_its_buffer(event) and any(w[0] == event["t"] for w in waiting):
                yield f"{_id(event)} does not wait until its buffer is empty"
            self._performed.append(_id(event))

    def _out_of_order(self, left: set[Id], waiting: list[Id], event: Json) -> Iterator[str]:
        for thread, index in left:
            if any(w[0] == thread and w[1] < index for w in waiting):
                yield f"{thread, index} leaves its buffer before an older store, at {_id(event)}"
        for where, order in self._orders.items():
            here = [write in left for write in order if write in self._writes]
            if here != sorted(here, reverse=True):
                yield f"the stores to {where} are not in memory in their order at {_id(event)}"

    def _reads(self, left: set[Id], waiting: list[Id], event: Json) -> Iterator[str]:
        if event["k"] != "R":
            return
        for where, source in _places(event):
            own = [w for w in waiting if w[0] == event["t"] and w in self._performed]
            own = [w for w in own if where in self._writes.get(w, ())]
            order = [write for write in self._orders.get(where, ()) if write in left]
            finds = own[-1] if own else order[-1] if order else None
            if finds != source:
                yield f"{_id(event)} reads {where} from {source}, and would find {finds}"


def _waits_for_its_buffer(event: Json) -> bool:
    """Whether one of the program's own instructions waits until its store buffer is empty."""
    if event["k"] == "F":
        return event["order"] == "sc"
    if event.get("object") != "atomic":
        return False
    return (
        event["rmw"]
        or event.get("what") == "cas-failed"
        or (event["k"] == "W" and event["order"] == "sc")
    )
