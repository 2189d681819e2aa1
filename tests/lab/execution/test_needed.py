# SPDX-License-Identifier: MIT
"""What of an execution its violation needs, and the plain accesses that clash."""

from __future__ import annotations

from executions import Letters, X, Y, Z, event, execution, read, write
from fencepost.execution.needed import needed
from fencepost.execution.plain_accesses import with_plain_accesses
from fencepost.execution.schema import Event, Execution, PlainAccess, ThreadEnd, Violation
from fencepost.execution.steps import steps_of


def failing(found: Execution, thread: int, kind: str = "assertion") -> Violation:
    return Violation(kind, "", thread, 0, found)


def created(thread: int) -> list[Event]:
    return [event("create", (0, thread), value=thread), event("begin", (thread, 0))]


def test_what_comes_after_or_elsewhere_is_left_out() -> None:
    flag = write((1, 1), X, 1)
    found = execution(
        *created(1),
        *created(2),
        flag,
        write((1, 2), X, 2),
        read((2, 1), X, flag),
    )
    less = needed(failing(found, 2))
    assert less.outside == {(1, 2)}
    assert less.private == frozenset()
    assert {e.id for e in less.execution.events} == {e.id for e in found.events} - {(1, 2)}


def test_a_variable_of_one_thread_is_left_out_and_a_thread_that_did_nothing_else() -> None:
    flag = write((1, 2), X, 1)
    own = write((3, 1), Z, 5)
    found = execution(
        *created(1),
        *created(2),
        *created(3),
        write((1, 1), Y, 7),
        flag,
        own,
        event("end", (3, 2)),
        event("join", (0, 4), value=3),
        event("create", (0, 5), value=4),
        event("begin", (4, 0)),
        read((2, 1), X, flag),
        read((4, 1), X, flag),
    )
    less = needed(failing(found, 4))
    assert (1, 1) in less.private and own.id in less.private
    assert {e.thread for e in less.execution.events} == {0, 1, 4}


def test_a_read_modify_write_stays_whole() -> None:
    start = write((1, 1), X, 1)
    half = read((2, 1), X, start, rmw=True, what="fetch_add")
    found = execution(start, half, write((2, 2), X, 2, rmw=True, what="fetch_add"))
    assert needed(failing(found, 1)).outside == {(2, 1), (2, 2)}
    assert needed(failing(found, 2)).outside == frozenset()


def test_who_looked_at_the_words_of_a_stuck_thread_is_needed() -> None:
    """Thread 2 found nobody asleep and went on; that is why nobody wakes thread 1."""
    announced, looked = write((1, 1), X, 1), read((2, 1), X)
    found = execution(announced, read((1, 2), Y), looked, write((2, 2), Z, 1))
    found = Execution(
        found.events,
        found.modification_order,
        threads=(ThreadEnd(1, "blocked", "spin", Y, 0), ThreadEnd(2, "finished", "", 0, 0)),
    )
    less = needed(failing(found, 1, "non-termination"))
    assert looked.id in less.execution.by_id
    assert (2, 2) in less.outside


def test_steps_keep_the_numbers_that_the_whole_execution_gives_them() -> None:
    flag = write((1, 2), X, 1)
    found = execution(write((1, 1), Y, 7), flag, read((2, 1), X, flag))
    numbers = {id: step.number for step in steps_of(found, Letters()) for id in step.events}
    less = needed(failing(found, 2)).execution
    steps = steps_of(less, Letters(), numbers)
    assert [(step.number, step.reads_from) for step in steps] == [(2, None), (3, 2)]


def test_plain_accesses_that_clash_become_steps_where_the_threads_came_to_them() -> None:
    first, second = write((1, 1), X, 1), write((1, 2), X, 2)
    found = execution(first, second, read((2, 1), X, second))
    message = f"a plain read races with a plain write by thread 1 (address {Z:#x}, other pc 0x5)"
    violation = Violation("data-race", message, 2, 9, found, PlainAccess(1, 2, "write", Z, 5))
    shown = with_plain_accesses(violation).execution
    actions = [step.action for step in steps_of(shown, Letters())]
    assert actions == [
        "writes x = 1 (relaxed)",
        "plain write of z",
        "writes x = 2 (relaxed)",
        "reads x = 2 (relaxed)",
        "plain read of z",
    ]
    assert shown.modification_order["atomic", X] == ((1, 1), (1, 3))
    assert shown.clashing is not None
    assert [one.id for one in shown.clashing] == [(1, 2), (2, 2)]


def test_other_violations_stay_as_they_are() -> None:
    violation = failing(execution(write((1, 1), X, 1)), 1)
    assert with_plain_accesses(violation) is violation
