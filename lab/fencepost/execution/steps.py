# SPDX-License-Identifier: MIT
"""An execution as the numbered steps a reader follows, whatever they are then drawn as."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from itertools import groupby
from typing import Any

from fencepost.execution.cycle import shortest_cycle
from fencepost.execution.operations import LEAVES, TIES, phrase
from fencepost.execution.schema import Event, EventId, Execution, ObjectId, ThreadEnd
from fencepost.execution.symbolise import ORDER_NAMES, Names

#: Events that say nothing which the steps around them do not say already.
SILENT = {"begin", "end"}

#: Events that concern no object.
NAMELESS = {"create", "join", "F", "choice"}

_ORDER_PREFIX = re.compile(r"\b(?:std::)?memory_order(?:_|::)")


@dataclass(frozen=True)
class Step:
    number: int
    thread: int
    location: str | None  # file:line
    source: str  # the text of that line
    action: str  # what happens, with the value and the order
    reads_from: int | None = None  # the step that wrote what is read here
    reads_initial: bool = False
    missed: int | None = (
        None  # the newest step whose write this read should have seen, had it looked
    )
    missed_value: str = ""
    before: int | None = None  # a write that its location's order puts before this earlier step
    highlight: bool = False
    events: tuple[EventId, ...] = field(default=())
    where_from: str = "written by"  # how a value that step `reads_from` left came about
    object: str = ""  # the name in `action`, for who must shorten it
    byte_by_byte: str = ""  # where the value comes from, if it is put together from several writes

    @property
    def code(self) -> str:
        """The source line with its memory orders cut to the word that matters."""
        return _ORDER_PREFIX.sub("", self.source)

    @property
    def remark(self) -> str:
        """Where the value comes from, and what is odd about that."""
        parts = []
        if self.byte_by_byte:
            parts.append(self.byte_by_byte)
        elif self.reads_from is not None:
            parts.append(f"{self.where_from} step {self.reads_from}")
        elif self.reads_initial:
            parts.append("the initial value")
        if self.missed is not None:
            parts.append(f"misses the newer {self.missed_value} of step {self.missed}")
        if self.before is not None:
            parts.append(f"ordered before step {self.before}'s write")
        return ", ".join(parts)

    def to_json(self, names: Names) -> dict[str, Any]:
        data = asdict(self)
        del data["where_from"], data["object"], data["byte_by_byte"]
        data.update(thread=names.thread(self.thread), events=[list(i) for i in self.events])
        data["remark"] = self.remark
        return data


def steps_of(
    execution: Execution, names: Names, numbers: Mapping[EventId, int] | None = None
) -> list[Step]:
    """The steps in an order that respects program order and reads-from, numbered from 1 or, if they
    are some of another execution's, with its `numbers`. What one call did, such as the read and the
    write of a read-modify-write, is one step."""
    groups = _grouped(execution)
    if numbers:
        groups = [group for group in groups if group[0].id in numbers]
    places = [numbers[group[0].id] if numbers else at for at, group in enumerate(groups, start=1)]
    number = {event.id: at for at, group in zip(places, groups, strict=True) for event in group}
    key = execution.highlight.union(shortest_cycle(execution))
    first = _first_steps(execution, number)
    steps = []
    for place, group in zip(places, groups, strict=True):
        event = group[0]
        read = _telling_read(group)
        stale = execution.stale(read) if read and read.is_atomic else None
        write = next((one for one in group if one.is_write and one.is_atomic), None)
        steps.append(
            Step(
                number=place,
                thread=event.thread,
                location=names.place(event.pc),
                source=names.source(event.pc),
                action=_action(group, names),
                reads_from=number.get(read.reads_from) if read and read.reads_from else None,
                reads_initial=bool(read and read.is_atomic and read.reads_from is None),
                missed=number[stale.id] if stale and number[stale.id] < place else None,
                missed_value=names.value(stale) if stale else "",
                before=_overtaken(execution, write, first, place) if write else None,
                highlight=any(one.id in key for one in group),
                events=tuple(one.id for one in group),
                where_from=_where_from(event),
                object="" if event.kind in NAMELESS else names.accessed(event),
                byte_by_byte=_byte_by_byte(read, number) if read else "",
            )
        )
    return steps


def _byte_by_byte(read: Event, number: dict[EventId, int]) -> str:
    """Which bytes of what is read come from which step, unless all come from the same."""
    if len(set(read.sources)) == 1 or not read.is_atomic:
        return ""
    parts = []
    for source, pieces in groupby(read.pieces, key=lambda piece: piece.reads_from):
        run = list(pieces)
        first = run[0].address - read.address
        last = run[-1].address + run[-1].size - 1 - read.address
        which = f"byte {first}" if first == last else f"bytes {first} to {last}"
        parts.append(f"{which}: {f'step {number[source]}' if source in number else 'initial'}")
    return ", ".join(parts)


def _grouped(execution: Execution) -> list[list[Event]]:
    """The events of each step, in the order of the steps."""
    groups: list[list[Event]] = []
    folded: set[EventId] = set()
    for event in execution.events:
        if event.id in folded or event.kind in SILENT or _is_idle(event):
            continue
        if event.what in LEAVES and _goes_on_leaving(execution, event):
            continue
        group = [event]
        written = execution.written_by(event)
        if written is not None:
            thread, first = event.id
            call = [(thread, i) for i in range(first, written.id[1] + 1)]
            group = [execution.by_id[one] for one in call if one in execution.by_id]
            folded.update(one.id for one in group)
        groups.append(group)
    return groups


def _goes_on_leaving(execution: Execution, event: Event) -> bool:
    """Whether another thread's arrival follows that makes this one leave the same place."""
    thread, index = event.id
    following = execution.by_id.get((thread, index + 1))
    return following is not None and following.what == event.what and following.pc == event.pc


#: Choices that are steps of their own, if they are taken.
TOLD = ("weak-failure", "reuses-memory")


def _is_idle(event: Event) -> bool:
    """Choices whose outcome the next steps show anyway, and what only orders threads."""
    if event.what in TIES:
        return True
    if event.what == "membarrier-registered":
        return bool(event.value)
    return event.kind == "choice" and not (event.what in TOLD and event.value)


def _telling_read(group: list[Event]) -> Event | None:
    """The read whose source a reader wants to know."""
    first = group[0]
    if first.what == "futex-wait":
        return next((event for event in group if event.what == "futex-value"), None)
    if not first.is_read or first.what in ("futex-wake", "cond-wait", "cond-signal"):
        return None
    return first


def _where_from(event: Event) -> str:
    if event.what in ("futex-woken", "cond-woken"):
        return "by"
    if event.object in ("mutex", "spin-lock"):
        taken = ("mutex-lock", "mutex-trylock", "spin-lock", "spin-trylock")
        return "let go by" if event.what in taken else "held since"
    if event.object in ("rwlock", "semaphore", "latch", "exit-handlers"):
        return "after"
    return "written by"


#: Of a latch that is no word of the program's, before the number.
_COUNTED = {"latch-init": "for", "latch-count-down": "by"}


def _action(group: list[Event], names: Names) -> str:
    event = group[0]
    order = ORDER_NAMES.get(event.order, event.order)
    if event.kind == "create":
        return f"starts {names.thread(event.value)}"
    if event.kind == "join" and event.what:
        said = phrase(event.what) or event.what.replace("-", " ")
        counted = f" {_COUNTED[event.what]} {event.value}" if event.what in _COUNTED else ""
        return said.format(names.address(event.address)) + counted
    if event.kind == "join":
        return f"joins {names.thread(event.value)}"
    if event.kind == "F":
        return phrase(event.what) or f"fence ({order})"
    if event.kind == "choice":
        return phrase(event.what) or f"{event.what.replace('-', ' ')}: {event.value}"
    name = names.accessed(event)
    if event.kind == "plain":
        named = {
            "allocate": f"allocates {name}",
            "free": f"frees {name}",
            "destroy": f"{name} is destroyed",
            "notification": f"notifies who waits at {name}",
        }
        return named.get(event.what, f"{event.what} of {name}")
    if not event.is_atomic or phrase(event.what):
        return _call(group, names.address(event.address), names)
    written = group[-1] if group[-1].is_write and event.is_read else None
    what = event.what.replace("_", "-")
    if written is not None:
        both = order if event.order == written.order else _rmw_order(event.order, written.order)
        return f"{what} {name}: {names.value(event)} → {names.value(written)} ({both})"
    if what == "nonatomic-fetch-add":
        verb = "reads" if event.is_read else "writes"
        return f"non-atomic fetch-add {verb} {name} = {names.value(event)} ({order})"
    if event.is_read:
        failed = ", compare-exchange fails" if what == "cas-failed" else ""
        return f"reads {name} = {names.value(event)} ({order}{failed})"
    return f"writes {name} = {names.value(event)} ({order})"


def _rmw_order(read: str, write: str) -> str:
    pair = {("acq", "rel"): "acq_rel", ("acq", "rlx"): "acquire", ("rlx", "rel"): "release"}
    return pair.get((read, write), f"{ORDER_NAMES.get(read, read)}/{ORDER_NAMES.get(write, write)}")


def _call(group: list[Event], name: str, names: Names) -> str:
    """What an operation on a mutex or on sleepers did."""
    first, last = group[0], group[-1]
    if first.what == "futex-wait":
        word = next((event for event in group if event.what == "futex-value"), None)
        seen = f" still {names.value(word)}" if word else ""
        if last.value >> first.thread & 1:
            return f"futex wait on {name}:{seen}, sleeps"
        return f"futex wait on {name}:{seen.replace('still', 'already')}, does not sleep"
    if first.what in ("futex-wake", "cond-signal"):
        woken = [t for t in range(64) if (first.value & ~last.value) >> t & 1]
        whom = ", ".join(names.thread(t) for t in woken)
        verb = "futex wake on" if first.what == "futex-wake" else "signals condition"
        return f"{verb} {name}: {f'wakes {whom}' if woken else 'nobody sleeps there'}"
    return (phrase(first.what) or f"{first.what} {{}}").format(name)


def _first_steps(
    execution: Execution, number: dict[EventId, int]
) -> dict[ObjectId, list[int | None]]:
    """By place: the earliest step of all writes from each one on in its modification order."""
    found: dict[ObjectId, list[int | None]] = {}
    for where, order in execution.modification_order.items():
        first: int | None = None
        found[where] = [None]
        for event in reversed(order):
            step = number.get(event)
            first = step if first is None or (step is not None and step < first) else first
            found[where].append(first)
        found[where].reverse()
    return found


def _overtaken(
    execution: Execution,
    write: Event,
    first: Mapping[ObjectId, list[int | None]],
    place: int,
) -> int | None:
    """The earliest step whose write the location's order puts after this later one."""
    after = [
        first[where][execution.place_in_order[where, write.id] + 1]
        for where in write.places
        if (where, write.id) in execution.place_in_order
    ]
    return min((step for step in after if step is not None and step < place), default=None)


def why_stuck(execution: Execution, end: ThreadEnd, steps: list[Step], names: Names) -> list[str]:
    """Why a blocked thread stays so, from what the execution holds; empty for other threads."""
    if not end.waits:
        return []
    number = {event: step.number for step in steps for event in step.events}
    if "join" in end.why or "thread to end" in end.why:
        return [f"waits for {names.thread(end.object)} to end"]
    if "assume" in end.why:
        return ["stops at assume(): what it is told does not hold"]
    own = [event for event in execution.events if event.thread == end.id]
    if not own:
        return []
    last = max(own, key=lambda event: event.id[1])
    if "mutex" in end.why or "spin lock" in end.why:
        return _held_by(execution, last, number, names)
    if "read-write lock" in end.why:
        return _shared_with(execution, last, number, names)
    if "semaphore" in end.why:
        return [f"waits for {names.address(last.address)}, which is 0, and nobody posts it"]
    if "barrier" in end.why:
        return _alone_at(execution, last, names)
    if "future" in end.why:
        return [f"waits for the future at {names.address(end.object)}, which nobody makes ready"]
    if "latch" in end.why:
        return _not_counted_down(execution, end.object, number, names)
    asleep = next((e for e in reversed(_by_index(own)) if e.object in WAKES and e.is_write), None)
    if asleep is not None and ("sleeps" in end.why):
        return _missed_wakes(execution, asleep, number, names)
    return _last_reads(own, number, names)


#: the queue of sleepers -> what takes somebody off it
WAKES = {"futex-queue": "futex-wake", "condition": "cond-signal"}


def _by_index(events: list[Event]) -> list[Event]:
    return sorted(events, key=lambda event: event.id[1])


def _missed_wakes(
    execution: Execution, asleep: Event, number: dict[EventId, int], names: Names
) -> list[str]:
    """Every wake-up on the sleeper's queue, and on which side of its falling asleep it came."""
    order = execution.modification_order.get(asleep.at, ())
    place = execution.place_in_order.get((asleep.at, asleep.id), len(order))
    wakes = [
        (position, number[event])
        for position, event in enumerate(order)
        if event in number and execution.by_id[event].what == WAKES[asleep.object]
    ]
    name = names.address(asleep.address)
    before = [step for position, step in wakes if position < place]
    after = [step for position, step in wakes if position > place]
    sleeps = number.get(asleep.id)
    if not wakes:
        return [f"asleep on {name} since step {sleeps}", "no step wakes anybody there"]
    lines = [f"asleep on {name} since step {sleeps}"]
    if before:
        lines.append(f"the wake-up of {_listed(before)} came before that")
    if after:
        lines.append(f"the wake-up of {_listed(after)} was for another")
    else:
        lines.append("nobody is left who would wake it")
    return lines


def _held_by(
    execution: Execution, wanted: Event, number: dict[EventId, int], names: Names
) -> list[str]:
    name = names.address(wanted.address)
    holder = execution.by_id.get(wanted.reads_from) if wanted.reads_from else None
    if holder is None:
        return [f"waits for {name}"]
    since = f" since step {number[holder.id]}" if holder.id in number else ""
    return [f"waits for {name}, which {names.thread(holder.thread)} holds{since}"]


def _shared_with(
    execution: Execution, wanted: Event, number: dict[EventId, int], names: Names
) -> list[str]:
    """Who holds a read-write lock: those whose last change of it was not to unlock it."""
    newest: dict[int, Event] = {}
    for event in _by_index(list(execution.events)):
        if event.is_write and event.at == wanted.at:
            newest[event.thread] = event
    holders = [
        f"{names.thread(thread)} holds since step {number[event.id]}"
        for thread, event in sorted(newest.items())
        if event.what.startswith(("rwlock-read", "rwlock-write", "rwlock-try"))
    ]
    name = names.address(wanted.address)
    return [f"waits for {name}{', which ' + ' and '.join(holders) if holders else ''}"]


def _alone_at(execution: Execution, arrival: Event, names: Names) -> list[str]:
    """Who has arrived at the barrier and not left."""
    waiting = []
    for thread in execution.thread_ids:
        own = [event for event in execution.events if event.thread == thread]
        last = max(own, key=lambda event: event.id[1], default=None)
        if last and last.what == "barrier-arrive" and last.address == arrival.address:
            waiting.append(names.thread(thread))
    return [f"at {names.address(arrival.address)} are only {', '.join(waiting)}"]


def _not_counted_down(
    execution: Execution, latch: int, number: dict[EventId, int], names: Names
) -> list[str]:
    """What has become of a latch that never gets to 0."""
    counts = sorted(
        number[event.id]
        for event in execution.events
        if event.what == "latch-count-down" and event.address == latch and event.id in number
    )
    counted = f"counted down by {_listed(sorted(set(counts)))} only" if counts else "never counted"
    return [f"waits for {names.address(latch)}, {counted}"]


def _last_reads(own: list[Event], number: dict[EventId, int], names: Names) -> list[str]:
    """What a spinning thread sees again and again."""
    last = max((e for e in own if e.is_read), key=lambda event: event.id[1], default=None)
    if last is None or not last.is_atomic:
        return []
    source = f" (step {number[last.reads_from]})" if last.reads_from in number else ""
    return [f"sees {names.address(last.address)} = {names.value(last)} for ever{source}"]


def _listed(numbers: list[int]) -> str:
    word = "step" if len(numbers) == 1 else "steps"
    return f"{word} {', '.join(map(str, numbers))}"
