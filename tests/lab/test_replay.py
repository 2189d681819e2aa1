# SPDX-License-Identifier: MIT
"""What memory holds at each step, what waits in buffers, what a thread may still read."""

from __future__ import annotations

from executions import (
    Letters,
    X,
    Y,
    execution,
    fence,
    message_passing,
    read,
    store_buffering,
    write,
)
from fencepost.execution import Execution
from fencepost.replay import Replay, replay
from fencepost.steps import steps_of
from fencepost.store_buffers import schedule


def table(found: Execution) -> Replay:
    return replay(found, steps_of(found, Letters()), Letters())


def cell(shown: Replay, step: int, name: str, thread: int | None = None) -> str:
    """At step 1, 2, …: what memory holds there, or what stands in the thread's column."""
    column = 0 if thread is None else 1 + shown.threads.index(thread)
    return shown.states[step - 1][shown.names.index(name) * shown.width + column]


def test_a_store_waits_until_the_read_that_must_not_see_it() -> None:
    found = store_buffering(model="x86")
    late = found.in_steps[0]
    shown = table(found)
    name = Letters().address(late.address)
    assert [cell(shown, step, name, late.thread) for step in (1, 2, 3, 4)] == ["1"] * 4
    assert [cell(shown, step, name) for step in (1, 2, 3, 4)] == ["0"] * 4
    other = next(e for e in found.events if e.is_write and e is not late)
    assert cell(shown, 3, Letters().address(other.address)) == "1", "this one need not wait"


def test_a_machine_performs_only_what_it_can() -> None:
    def possible(found: Execution) -> bool:
        return schedule(found, list(found.events)) is not None

    assert possible(store_buffering(model="x86"))
    assert not possible(store_buffering(between="sc", model="x86"))
    assert not possible(store_buffering("sc", model="x86")), "a seq_cst store is an exchange"
    assert possible(store_buffering(between="acq_rel", model="x86")), "no instruction"
    assert not possible(message_passing("rlx", "rlx", model="x86"))


def test_a_store_that_need_not_wait_goes_to_memory_at_once() -> None:
    one = write((1, 1), X, 1)
    found = execution(one, read((2, 1), X, one), model="x86")
    performed = schedule(found, list(found.events))
    assert performed is not None and not any(performed.waiting.values())


def test_the_buffer_is_first_in_first_out() -> None:
    first, second = write((1, 1), X, 1), write((1, 2), Y, 1)
    late = read((2, 1), X)
    found = execution(
        first, second, read((1, 3), 0x3000), late, write((2, 2), 0x3000, 1), model="x86"
    )
    performed = schedule(found, [first, second, found.events[2], late, found.events[4]])
    assert performed is not None
    assert performed.waiting[second.id] in ((), (first.id, second.id))


def test_its_own_store_is_read_from_the_buffer() -> None:
    own = write((1, 1), X, 1)
    found = execution(
        own,
        read((1, 2), X, own),
        read((1, 3), Y),
        write((2, 1), Y, 1),
        fence((2, 2)),
        read((2, 3), X),
        model="x86",
    )
    performed = schedule(found, list(found.events))
    assert performed is not None and own.id in performed.waiting[1, 2]


def test_acquiring_takes_the_old_value_away_and_relaxed_reading_does_not() -> None:
    for look, older in (("acq", ""), ("rlx", "the initial value")):
        payload, flag = write((1, 1), X, 42), write((1, 2), Y, 1, "rel")
        shown = table(execution(payload, flag, read((2, 1), Y, flag, look)))
        assert cell(shown, 3, "x") == "42"
        assert cell(shown, 3, "x", 2) == older
        assert cell(shown, 3, "x", 1) == "", "its own"


def test_a_fence_completes_what_a_relaxed_read_began() -> None:
    payload, flag = write((1, 1), X, 42), write((1, 3), Y, 1)
    found = execution(
        payload, fence((1, 2), "rel"), flag, read((2, 1), Y, flag), fence((2, 2), "acq")
    )
    shown = table(found)
    assert [cell(shown, step, "x", 2) for step in (4, 5)] == ["the initial value", ""]


def test_a_read_modify_write_goes_on_with_a_release_sequence_and_a_store_does_not() -> None:
    def seen(last: list, model: str = "c++20") -> str:  # type: ignore[type-arg]
        payload, flag = write((1, 1), X, 42), write((1, 2), Y, 1, "rel")
        rest = [e(flag) for e in last]
        shown = table(
            execution(payload, flag, *rest, read((3, 1), Y, rest[-1], "acq"), model=model)
        )
        return cell(shown, len(shown.states), "x", 3)

    added = [
        lambda flag: read((2, 1), Y, flag, rmw=True, what="fetch_add"),
        lambda flag: write((2, 2), Y, 2, rmw=True, what="fetch_add"),
    ]
    assert seen(added) == ""
    assert seen([lambda flag: write((2, 1), Y, 2)]) == "the initial value"
    again = [lambda flag: write((1, 3), Y, 2)]
    assert seen(again) == "the initial value", "C++20 ends the sequence there"
    assert seen(again, "c++14") == "", "C++14 goes on with it"


def test_under_sc_there_is_memory_alone() -> None:
    assert table(store_buffering(model="sc")).width == 1
