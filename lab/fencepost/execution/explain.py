# SPDX-License-Identifier: MIT
"""Why a memory model lets a surprising execution be, in sentences that name the steps.

An execution that no interleaving explains has a cycle of program order and communication
(`cycle.py`). The model allows it because something in the cycle orders nothing: under `x86` a store
that waits in a buffer, under the C++ models a read that does not synchronise with the write it
reads from, or operations of one thread that no total order of seq_cst operations keeps in place.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from fencepost.execution.cycle import shortest_cycle
from fencepost.execution.knowledge import Knowledge
from fencepost.execution.schema import Event, EventId, Execution
from fencepost.execution.steps import Step
from fencepost.execution.symbolise import ORDER_NAMES, Names

_ACQUIRES = ("acq", "acq_rel", "sc")
_RELEASES = ("rel", "acq_rel", "sc")

NOTHING_WEAK = (
    "No weak memory is needed for this: the steps, one after the other, each seen by every thread "
    "at once, are the execution."
)


def explanation(execution: Execution, steps: list[Step], names: Names) -> list[str]:
    """Sentences, none if nothing can be said."""
    told = _Told(execution, steps, names)
    if execution.clashing:
        return list(_of_clash(told, *execution.clashing))
    if all(step.missed is None and step.before is None for step in steps):
        return [NOTHING_WEAK] if steps else []
    cycle = [execution.by_id[event] for event in shortest_cycle(execution)]
    if execution.model == "x86":
        return list(dict.fromkeys(_of_buffers(told, cycle)))
    if not cycle or execution.model == "sc":
        return []
    orders = list(_of_the_last_store(told, cycle)) or _of_orders(told, cycle)
    return list(dict.fromkeys([*_stale_reads(told, cycle), *orders]))


@dataclass(frozen=True)
class _Told:
    """How events are spoken of."""

    execution: Execution
    steps: list[Step]
    names: Names

    def step(self, event: Event) -> str:
        return next(f"step {s.number}" for s in self.steps if event.id in s.events)

    def who(self, event: Event) -> str:
        return self.names.thread(event.thread)

    def what(self, event: Event) -> str:
        """`store of 1 to x`, `load of x`, `exchange of x`."""
        name = self.names.accessed(event)
        if event.rmw:
            return f"{event.what.replace('_', '-')} of {name}"
        if event.is_read:
            return f"load of {name}"
        return f"store of {self.names.value(event)} to {name}"

    def order(self, event: Event) -> str:
        return ORDER_NAMES.get(event.order, event.order)


# ---- accesses that clash


def _of_clash(told: _Told, other: Event, last: Event) -> Iterator[str]:
    execution = told.execution
    yield (
        f"Nothing orders {told.who(other)}'s {told.step(other)} and {told.who(last)}'s "
        f"{told.step(last)}: neither happens before the other. That is judged by C++ under every "
        "model, for the compiler relies on it whatever the machine."
    )
    reads = [
        (execution.by_id[source], event)
        for event in execution.events
        if event.thread == last.thread and event.is_atomic
        for source in event.writes_read
        if source in execution.by_id
    ]
    seen = [(write, read) for write, read in reads if write.thread == other.thread]
    later = [(write, read) for write, read in seen if write.id > other.id]
    yield from _missing_synchronisation(
        told, _Cycle([(read, last) for _, read in later], later, 1), ""
    )


# ---- x86


def _of_buffers(told: _Told, cycle: list[Event]) -> Iterator[str]:
    execution, names = told.execution, told.names
    in_cycle = {event.id for event in cycle}
    for event in execution.events:
        if not (event.is_read and event.is_atomic):
            continue
        for write in (execution.by_id[one] for one in event.waiting):
            if not set(write.places) & set(event.places) or not {write.id, event.id} <= in_cycle:
                continue
            name, step = names.accessed(write), told.step(write)
            if write.id == event.reads_from and write.thread == event.thread:
                yield (
                    f"{told.who(event)} reads its own store to {name} ({step}) from its store "
                    f"buffer ({told.step(event)}), before any other thread can see it."
                )
            elif write in execution.newer_than(event):
                yield (
                    f"{told.who(write)}'s store to {name} ({step}) is still in its store buffer "
                    f"when {told.who(event)} reads the old value {names.value(event)} "
                    f"({told.step(event)})."
                )
                later = _next_in_thread(cycle, write)
                if later and later.is_read and write.id in later.waiting:
                    yield (
                        f"{told.who(write)} does not wait for it to leave before its "
                        f"{told.what(later)} ({told.step(later)}): a seq_cst fence between the two "
                        "would make it wait, and so would a seq_cst store."
                    )


def _next_in_thread(cycle: list[Event], event: Event) -> Event | None:
    later = [one for one in cycle if one.thread == event.thread and one.id > event.id]
    return min(later, key=lambda one: one.id, default=None)


# ---- C++


def _stale_reads(told: _Told, cycle: list[Event]) -> Iterator[str]:
    in_cycle = {event.id for event in cycle}
    for step in told.steps:
        if step.missed is None or not in_cycle & set(step.events):
            continue
        missed = next(one for one in told.steps if one.number == step.missed)
        read = told.execution.by_id[step.events[0]]
        yield (
            f"{told.who(read)} reads the old {step.object} = {told.names.value(read)} "
            f"(step {step.number}), although {told.names.thread(missed.thread)} wrote "
            f"{step.missed_value} in step {step.missed}."
        )


@dataclass(frozen=True)
class _Cycle:
    """A cycle taken apart: what happens inside each thread, and how it gets to the next one."""

    inside: list[tuple[Event, Event]]
    read_from: list[tuple[Event, Event]]
    against_time: int  # runs of communication that go to a newer write


def _taken_apart(cycle: list[Event]) -> _Cycle:
    turn = next(i for i in range(len(cycle)) if cycle[i - 1].thread != cycle[i].thread)
    events = cycle[turn:] + cycle[:turn]
    inside, read_from, newer, after_inside = [], [], 0, True
    entry = events[0]
    for event, following in pairwise([*events, events[0]]):
        if event.thread == following.thread and following is not events[0]:
            after_inside = True
            continue
        if entry is not event:
            inside.append((entry, event))
            after_inside = True
        entry = following
        if following.is_read and event.id in following.writes_read:
            read_from.append((event, following))
        elif after_inside:
            newer += 1
            after_inside = False
    return _Cycle(inside, read_from, newer)


def _of_orders(told: _Told, cycle: list[Event]) -> Iterator[str]:
    parts = _taken_apart(cycle)
    if parts.against_time <= 1:
        yield from _missing_synchronisation(told, parts)
    else:
        yield from _missing_seq_cst(told, parts, cycle)


def _of_the_last_store(told: _Told, cycle: list[Event]) -> Iterator[str]:
    """What C++14 allows and C++20 does not (29.3 p3): a load goes back behind a seq_cst store, for
    there is a later one."""
    execution = told.execution
    if execution.model != "c++14":
        return
    known = _known_at_stores(execution)
    for read in cycle:
        old = execution.by_id.get(read.reads_from) if read.reads_from else None
        if not (read.is_read and read.order == "sc") or old is None or old.order == "sc":
            continue
        order = execution.modification_order.get(read.at, ())
        place = execution.place_in_order[read.at, old.id]
        stores = [execution.by_id[event] for event in order[place + 1 :]]
        seq_cst = [store for store in stores if store.order == "sc"]
        behind = [store for store in seq_cst if known[store.id] >= place]
        if not behind or known[seq_cst[-1].id] >= place:
            continue
        first, last = behind[0], seq_cst[-1]
        yield (
            f"{told.who(old)}'s {told.what(old)} ({told.step(old)}, {told.order(old)}) is known to "
            f"{told.who(first)}'s seq_cst {told.what(first)} ({told.step(first)}), and C++20 lets "
            "no seq_cst load that comes after this in the total order go back behind it. C++11 to "
            "C++17 ask about the last seq_cst store ahead of the load alone (29.3 p3), and "
            f"{told.who(last)}'s ({told.step(last)}) knows nothing of the old one."
        )


def _known_at_stores(execution: Execution) -> dict[EventId, int]:
    """The place, in modification order, of the newest write to the same object that the thread
    of each write knew before it."""
    knowledge, found = Knowledge(execution), dict[EventId, int]()
    for event in execution.events:
        if event.is_write:
            found[event.id] = knowledge.place(event.thread, event.at)
        knowledge.add(event)
    return found


OLD_VALUE_ALLOWED = ", and coherence does not forbid the old value"


def _missing_synchronisation(
    told: _Told, parts: _Cycle, so: str = OLD_VALUE_ALLOWED
) -> Iterator[str]:
    for write, read in parts.read_from:
        last = next((last for first, last in parts.inside if first is read), read)
        if last.clock[write.thread] > write.id[1]:
            continue  # it does happen before, in whatever way
        lacks = []
        if not _releases(told.execution, write):
            lacks.append(f"the write is {told.order(write)}")
        if not _acquires(told.execution, read, parts):
            lacks.append(f"the read is {told.order(read)}")
        if lacks:
            yield (
                f"{told.who(read)} does see {told.who(write)}'s {told.what(write)} "
                f"({told.step(write)}) in {told.step(read)}, but that is no synchronisation: "
                f"{' and '.join(lacks)}. So what {told.who(write)} did before does not happen "
                f"before what {told.who(read)} does next{so}."
            )


def _releases(execution: Execution, write: Event) -> bool:
    """Whether it, or a write whose release sequence it is in, is one that releases."""
    asked, left = {write.id}, [write]
    while left:
        one = left.pop()
        if one.order in _RELEASES:
            return True
        if any(_fence(execution, one.thread, 0, one.id[1], _RELEASES)):
            return True
        source = _read_half(execution, one)
        earlier = source.writes_read if source is not None else ()
        left += [execution.by_id[e] for e in earlier if e in execution.by_id and e not in asked]
        asked.update(earlier)
    return False


def _read_half(execution: Execution, write: Event) -> Event | None:
    read = execution.by_id.get((write.thread, write.id[1] - 1))
    return read if read and execution.written_by(read) is write else None


def _acquires(execution: Execution, read: Event, parts: _Cycle) -> bool:
    end = next((last.id[1] for first, last in parts.inside if first is read), read.id[1])
    if read.order in _ACQUIRES or any(_fence(execution, read.thread, read.id[1], end, _ACQUIRES)):
        return True
    written = execution.written_by(read)
    return written is not None and any(write is written for write, _ in parts.read_from)


def _fence(
    execution: Execution, thread: int, first: int, last: int, orders: tuple[str, ...]
) -> Iterator[EventId]:
    for index in range(first + 1, last):
        event = execution.by_id.get((thread, index))
        if event and event.kind == "F" and event.order in orders:
            yield event.id


def _missing_seq_cst(told: _Told, parts: _Cycle, cycle: list[Event]) -> Iterator[str]:
    found = False
    gap = "there is no psc edge between the two"
    if told.execution.model != "c++20":
        gap = "the total order of seq_cst operations does not hold both"
    for first, last in parts.inside:
        both = first.order == "sc" and last.order == "sc"
        if both or any(_fence(told.execution, first.thread, first.id[1], last.id[1], ("sc",))):
            continue
        found = True
        yield (
            f"Nothing keeps {told.who(first)}'s {told.what(first)} ({told.step(first)}, "
            f"{told.order(first)}) before its {told.what(last)} ({told.step(last)}, "
            f"{told.order(last)}) in the eyes of the others: {gap}. "
            "A seq_cst fence between them would keep them in order, and so would seq_cst for both."
        )
    weaker = sorted({told.step(event) for event in cycle if event.order != "sc"})
    if found:
        yield (
            "Happens-before and coherence allow each of these steps; what could forbid that they "
            "come together is the total order of seq_cst operations, and it has a gap here."
        )
    elif weaker:
        yield (
            f"Not every operation in the circle is seq_cst ({', '.join(weaker)}: weaker), so the "
            "total order of the seq_cst operations does not close it."
        )
