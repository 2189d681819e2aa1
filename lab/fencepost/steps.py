# SPDX-License-Identifier: MIT
"""An execution as the numbered steps a reader follows, whatever they are then drawn as."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass, field
from typing import Any

from fencepost.execution import Event, EventId, Execution, ThreadEnd
from fencepost.symbolise import ORDER_NAMES, Names

#: Events that say nothing which the steps around them do not say already.
SILENT = {"begin", "end", "alloc", "free"}


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

    @property
    def code(self) -> str:
        """The source line with its memory orders cut to the word that matters."""
        return _ORDER_PREFIX.sub("", self.source)

    @property
    def remark(self) -> str:
        """Where the value comes from, and what is odd about that."""
        parts = []
        if self.reads_from is not None:
            parts.append(f"written by step {self.reads_from}")
        elif self.reads_initial:
            parts.append("the initial value")
        if self.missed is not None:
            parts.append(f"misses the newer {self.missed_value} of step {self.missed}")
        if self.before is not None:
            parts.append(f"ordered before step {self.before}'s write")
        return ", ".join(parts)

    def to_json(self, names: Names) -> dict[str, Any]:
        data = asdict(self)
        data.update(thread=names.thread(self.thread), events=[list(i) for i in self.events])
        data["remark"] = self.remark
        return data


def _verb(what: str) -> str:
    return what.replace("_", "-") if what else "access"


def _action(event: Event, written: Event | None, names: Names) -> str:
    what = _verb(event.what)
    order = ORDER_NAMES.get(event.order, event.order)
    if event.kind == "create":
        return f"starts {names.thread(event.value)}"
    if event.kind == "join":
        return f"joins {names.thread(event.value)}"
    if event.kind == "F":
        return f"fence ({order})"
    if event.kind == "alloc":
        return f"allocates {names.address(event.address)} ({event.size} bytes)"
    if event.kind == "free":
        return f"frees {names.address(event.address)}"
    if event.kind == "choice":
        return f"{what.replace('-', ' ')}: {event.value}"
    name = names.address(event.address)
    if what.startswith(("mutex", "futex", "cond")):
        return _sleep_action(what, event, written, name, names)
    if written is not None:
        both = (
            f"{order}" if event.order == written.order else _rmw_order(event.order, written.order)
        )
        return f"{what} {name}: {names.value(event)} → {names.value(written)} ({both})"
    if event.is_read:
        failed = ", compare-exchange fails" if what in ("cas-failed", "compare-exchange") else ""
        return f"reads {name} = {names.value(event)} ({order}{failed})"
    if event.is_write:
        return f"writes {name} = {names.value(event)} ({order})"
    return f"{what} {name}"


def _rmw_order(read: str, write: str) -> str:
    pair = {("acq", "rel"): "acq_rel", ("acq", "rlx"): "acquire", ("rlx", "rel"): "release"}
    return pair.get((read, write), f"{ORDER_NAMES.get(read, read)}/{ORDER_NAMES.get(write, write)}")


def _sleep_action(what: str, event: Event, written: Event | None, name: str, names: Names) -> str:
    words = {
        "mutex-lock": f"locks {name}",
        "mutex-trylock": f"tries to lock {name}",
        "mutex-unlock": f"unlocks {name}",
        "mutex-init": f"initialises {name}",
        "futex-value": f"futex wait on {name}: the kernel reads {names.value(event)}",
        "futex-wait": f"goes to sleep in futex wait on {name}",
        "futex-wake": f"futex wake on {name}",
        "futex-woken": f"is woken from futex wait on {name}",
        "futex-timeout": f"futex wait on {name} times out",
        "cond-wait": f"goes to sleep on condition {name}",
        "cond-signal": f"signals condition {name}",
        "cond-broadcast": f"signals all on condition {name}",
        "cond-wake": f"wakes a waiter of condition {name}",
        "cond-woken": f"is woken from condition {name}",
        "cond-timeout": f"wait on condition {name} times out",
    }
    if what == "mutex-trylock" and written is None:
        return f"fails to lock {name}"
    return words.get(what, f"{what} {name}")


def steps_of(execution: Execution, names: Names) -> list[Step]:
    """The steps in an order that respects program order and reads-from, numbered from 1. The read
    and the write of one read-modify-write are one step."""
    shown: list[tuple[Event, Event | None]] = []
    folded: set[EventId] = set()
    for event in execution.in_steps:
        if event.kind in SILENT and event.id not in execution.highlight:
            continue
        if event.id in folded:
            continue
        follower = execution.by_id.get((event.id[0], event.id[1] + 1))
        written = None
        if event.is_read and event.rmw and follower and follower.is_write and follower.rmw:
            written = follower
            folded.add(follower.id)
        shown.append((event, written))

    number = {}
    for place, (event, written) in enumerate(shown, start=1):
        number[event.id] = place
        if written:
            number[written.id] = place

    steps = []
    for place, (event, written) in enumerate(shown, start=1):
        missed = execution.newest_before(event) if event.is_read else None
        if missed is not None and number.get(missed.id) == place:
            missed = None
        write = written or (event if event.is_write else None)
        overtaken = _overtaken(execution, write, number, place) if write else None
        steps.append(
            Step(
                number=place,
                thread=event.thread,
                location=names.place(event.pc),
                source=names.source(event.pc),
                action=_action(event, written, names),
                reads_from=number.get(event.reads_from) if event.reads_from else None,
                reads_initial=event.is_read and event.reads_from is None,
                missed=number.get(missed.id) if missed else None,
                missed_value=names.value(missed) if missed else "",
                before=overtaken,
                highlight=bool(
                    {event.id, written.id if written else event.id} & execution.highlight
                ),
                events=(event.id, written.id) if written else (event.id,),
            )
        )
    return steps


def _overtaken(
    execution: Execution, write: Event, number: dict[EventId, int], place: int
) -> int | None:
    """The earliest step whose write the location's order puts after this later one."""
    order = execution.modification_order.get(write.address, ())
    if write.id not in order:
        return None
    after = order[order.index(write.id) + 1 :]
    earlier = [number[event] for event in after if number.get(event, place) < place]
    return min(earlier) if earlier else None


#: what a sleeping thread's last event is called -> what would wake it
WAKERS = {
    "futex": ("futex-wake",),
    "cond": ("cond-signal", "cond-broadcast", "cond-wake"),
    "mutex": ("mutex-unlock",),
}


def why_stuck(execution: Execution, end: ThreadEnd, steps: list[Step], names: Names) -> list[str]:
    """Why nothing can wake a blocked thread, from the wake-ups that the execution holds."""
    own = [
        event for event in execution.in_steps if event.thread == end.id and event.kind not in SILENT
    ]
    if end.state != "blocked" or not own:
        return []
    last = own[-1]
    family = _verb(last.what).split("-")[0]
    if family not in WAKERS:
        return []
    number = {event: step.number for step in steps for event in step.events}
    asleep = number.get(last.id, 0)
    wakes = sorted(
        {
            number[event.id]
            for event in execution.events
            if _verb(event.what) in WAKERS[family]
            and event.address == last.address
            and event.id in number
            and event.thread != end.id
        }
    )
    name = names.address(last.address)
    if family == "mutex":
        return _held_by(execution, last, number, names)
    if not wakes:
        return [f"no step wakes a waiter of {name}"]
    listed = _listed(wakes)
    if wakes[-1] < asleep:
        return [f"the last wake-up of {name} ({listed}) came before it slept (step {asleep})"]
    return [f"wake-ups of {name}: {listed}"]


def _held_by(
    execution: Execution, wanted: Event, number: dict[EventId, int], names: Names
) -> list[str]:
    order = execution.modification_order.get(wanted.address, ())
    for event_id in reversed(order):
        event = execution.by_id.get(event_id)
        if event and _verb(event.what) in ("mutex-lock", "mutex-trylock"):
            where = f" since step {number[event.id]}" if event.id in number else ""
            return [
                f"{names.address(wanted.address)} is held by {names.thread(event.thread)}{where}"
            ]
        if event and _verb(event.what) == "mutex-unlock":
            break
    return []


def _listed(numbers: list[int]) -> str:
    word = "step" if len(numbers) == 1 else "steps"
    return f"{word} {', '.join(map(str, numbers))}"
