# SPDX-License-Identifier: MIT
"""The order in which an execution is told, and the cycle that no interleaving explains."""

from __future__ import annotations

from fencepost.cycle import shortest_cycle
from fencepost.execution import Event, EventId, Execution

X, Y = 0x1000, 0x2000


def access(
    kind: str, thread: int, index: int, address: int, value: int, source: EventId | None = None
) -> Event:
    return Event(
        id=(thread, index),
        kind=kind,
        rmw=False,
        order="rlx",
        object="atomic",
        address=address,
        size=4,
        value=value,
        reads_from=source,
        pc=0,
        what="load" if kind == "R" else "store",
        step=0,
    )


def execution(*events: Event, **orders: tuple[EventId, ...]) -> Execution:
    addresses = {"x": X, "y": Y}
    return Execution(events, {("atomic", addresses[name]): order for name, order in orders.items()})


def store_buffering(second_sees: EventId | None) -> Execution:
    return execution(
        access("W", 1, 1, X, 1),
        access("R", 1, 2, Y, 0),
        access("W", 2, 1, Y, 1),
        access("R", 2, 2, X, 1 if second_sees else 0, second_sees),
        x=((1, 1),),
        y=((2, 1),),
    )


def test_an_interleaving_is_found_where_there_is_one() -> None:
    # Thread 2 reads 1 from y and writes x afterwards, thread 1 writes x last.
    found = execution(
        access("W", 1, 1, Y, 1),
        access("W", 1, 2, X, 1),
        access("R", 2, 1, Y, 1, (1, 1)),
        access("W", 2, 2, X, 2),
        x=((2, 2), (1, 2)),
        y=((1, 1),),
    )
    assert [event.id for event in found.in_steps] == [(1, 1), (2, 1), (2, 2), (1, 2)]
    assert shortest_cycle(found) == ()


def test_a_read_that_an_interleaving_explains_is_not_called_stale() -> None:
    found = store_buffering(second_sees=(1, 1))
    assert [found.stale(event) for event in found.events if event.is_read] == [None, None]


def test_a_weak_execution_has_a_single_stale_read_and_its_cycle() -> None:
    found = store_buffering(second_sees=None)
    stale = [event.id for event in found.events if event.is_read and found.stale(event)]
    assert len(stale) == 1
    assert set(shortest_cycle(found)) == {(1, 1), (1, 2), (2, 1), (2, 2)}


def test_program_order_and_reads_from_are_always_kept() -> None:
    # 2+2W: both orders contradict program order.
    found = execution(
        access("W", 1, 1, X, 1),
        access("W", 1, 2, Y, 2),
        access("W", 2, 1, Y, 1),
        access("W", 2, 2, X, 2),
        x=((2, 2), (1, 1)),
        y=((1, 2), (2, 1)),
    )
    told = [event.id for event in found.in_steps]
    assert sorted(told) == [(1, 1), (1, 2), (2, 1), (2, 2)]
    assert told.index((1, 1)) < told.index((1, 2)) and told.index((2, 1)) < told.index((2, 2))
    assert set(shortest_cycle(found)) == {(1, 1), (1, 2), (2, 1), (2, 2)}


def test_an_execution_with_a_cycle_of_dependencies_is_still_told() -> None:
    # Load buffering: each read takes its value from the other thread's later write.
    found = execution(
        access("R", 1, 1, X, 1, (2, 2)),
        access("W", 1, 2, Y, 1),
        access("R", 2, 1, Y, 1, (1, 2)),
        access("W", 2, 2, X, 1),
        x=((2, 2),),
        y=((1, 2),),
    )
    assert len(found.in_steps) == 4
