# SPDX-License-Identifier: MIT
"""Tickets (barrier_ticket.hpp) by the clock of a daemon that runs, and of one that is killed."""

from __future__ import annotations

import errno
import json

import pytest
from clock_place import BUILD, WITHOUT_CALL, Place

pytestmark = pytest.mark.crowd

HOLDER = BUILD / "tests" / "barrierd" / "ticket_holder"
LITMUS = BUILD / "bench" / "barriers" / "litmus"


def test_the_clock_redeems_tickets(place: Place) -> None:
    place.serve()
    done = place.run(HOLDER, "wait", "20", FENCEPOST_INTERRUPT_CLOCK=str(place.clock))
    assert (done.returncode, done.stdout) == (0, "by the clock 20\n")


@pytest.mark.parametrize("microseconds", ["0", "1", "300", "5000"])
def test_tickets_are_over_at_their_deadlines(place: Place, microseconds: str) -> None:
    place.serve()
    done = place.run(
        HOLDER, "deadline", "20", microseconds, FENCEPOST_INTERRUPT_CLOCK=str(place.clock)
    )
    assert (done.returncode, done.stdout) == (0, "over 20\n")


def test_nobody_waits_for_ever_for_a_daemon_that_was_killed(place: Place) -> None:
    daemon = place.serve()
    holder = place.start(HOLDER, "threads", "20", FENCEPOST_INTERRUPT_CLOCK=str(place.clock))
    assert holder.stdout is not None
    assert holder.stdout.readline() == "waiting\n"
    daemon.kill()
    rest, errors = holder.communicate()
    assert (holder.returncode, rest) == (0, "over 20\n"), errors


def test_tickets_are_over_where_a_realtime_thread_spins(place: Place) -> None:
    place.serve()
    with place.spinning() as elsewhere:
        done = place.run(
            *elsewhere, HOLDER, "crowd", "20", FENCEPOST_INTERRUPT_CLOCK=str(place.clock)
        )
    assert (done.returncode, done.stdout) == (0, "over 20\n")


@pytest.mark.parametrize("error", [errno.EPERM, errno.ENOSYS, 0])
def test_tickets_are_over_where_membarrier_is_forbidden(place: Place, error: int) -> None:
    place.serve()
    done = place.run(
        *WITHOUT_CALL,
        "membarrier",
        str(error),
        HOLDER,
        "crowd",
        "20",
        FENCEPOST_INTERRUPT_CLOCK=str(place.clock),
    )
    assert (done.returncode, done.stdout) == (0, "over 20\n"), done.stderr


def test_full_fences_need_no_clock_in_a_sandbox_that_kills_for_it(place: Place) -> None:
    place.serve()
    clock = str(place.clock)
    sandbox = (*WITHOUT_CALL, "bpf", "0")
    killed = place.run(*sandbox, HOLDER, "wait", "1", FENCEPOST_INTERRUPT_CLOCK=clock)
    assert killed.returncode != 0  # or the sandbox is none
    done = place.run(*sandbox, HOLDER, "full_fences", "20", FENCEPOST_INTERRUPT_CLOCK=clock)
    assert (done.returncode, done.stdout) == (0, "at once 20\n")


def test_threads_of_one_processor_wait_for_nobody_else(place: Place) -> None:
    place.serve()
    clock = str(place.clock)
    done = place.run(HOLDER, "subset", "20", FENCEPOST_INTERRUPT_CLOCK=clock)
    assert (done.returncode, done.stdout) == (0, "at once 20\n")


def test_ten_thousand_waiters_at_once_are_all_served(place: Place) -> None:
    place.serve()
    done = place.run(HOLDER, "crowd", "10000", FENCEPOST_INTERRUPT_CLOCK=str(place.clock))
    if done.returncode == 4:
        pytest.skip("this machine does not give a process ten thousand threads")
    assert (done.returncode, done.stdout) == (0, "over 10000\n"), done.stderr


def test_no_store_passes_a_ticket(place: Place) -> None:
    place.serve()
    done = place.run(
        LITMUS,
        "--heavy",
        "ticket",
        "--rounds",
        "200",
        "--seconds",
        "2",
        FENCEPOST_INTERRUPT_CLOCK=str(place.clock),
    )
    if done.returncode == 2:
        pytest.skip(done.stderr)
    assert done.returncode == 0, done.stdout + done.stderr
    _, only, verdict = map(json.loads, done.stdout.splitlines())
    assert only["usable"], "there is a clock"
    assert only["rounds"] > 0
    assert only["violations"] == 0
    assert verdict["holds"]
