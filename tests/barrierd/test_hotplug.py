# SPDX-License-Identifier: MIT
"""Processors that go and come: nobody waits for one that is off, none is passed early, and the
daemon stays. Each test switches a processor of this machine off for a fraction of a second; where
that is not possible, or a program is bound to that processor, it is skipped. No test runs beside
them: it would miss a processor."""

from __future__ import annotations

import json
import subprocess
from typing import Any

import pytest
from clock_place import BUILD, READER, Place
from processor_switch import ProcessorSwitch, processor_switch

__all__ = ["processor_switch"]

pytestmark = pytest.mark.alone

HOLDER = BUILD / "tests" / "barrierd" / "ticket_holder"
RECLAIMER = BUILD / "tests" / "barrierd" / "reclaimer"
LITMUS = BUILD / "bench" / "barriers" / "litmus"


def status_of(place: Place, processor: int) -> dict[str, Any]:
    shown = json.loads(place.barrierd("--status", "--seconds", "0.05").stdout)
    assert shown["alive"]
    (found,) = [cpu for cpu in shown["cpus"] if cpu["cpu"] == processor]
    return dict(found)


def all_pass(follower: subprocess.Popen[str]) -> bool:
    """Whether all threads of `ticket_holder follow` passed again, and none was ever late."""
    assert follower.stdin is not None and follower.stdout is not None
    follower.stdin.write("\n")
    follower.stdin.flush()
    return follower.stdout.readline() == "late 0\n"


def test_waiters_sleep_through_a_processor_that_goes_and_comes(
    place: Place, processor_switch: ProcessorSwitch
) -> None:
    place.serve()
    clock = str(place.clock)
    number = processor_switch.processor
    follower = place.start(HOLDER, "follow", "20", str(number), FENCEPOST_INTERRUPT_CLOCK=clock)
    assert all_pass(follower)
    assert status_of(place, number)["online"]
    for _ in range(2):
        with processor_switch.off():
            assert all_pass(follower)
            gone = status_of(place, number)
            assert all_pass(follower)
        assert (gone["online"], gone["interrupts_per_s"]) == (False, 0)
        assert all_pass(follower)
        assert status_of(place, number)["online"]
    rest, errors = follower.communicate()
    assert (follower.returncode, rest) == (0, ""), errors


def test_a_clock_that_begins_without_a_processor_takes_it_up(
    place: Place, processor_switch: ProcessorSwitch
) -> None:
    number = processor_switch.processor
    with processor_switch.off():
        place.serve()
        assert place.run(READER, "wait", place.clock, "5").stdout == "passed 5\n"
        assert not status_of(place, number)["online"]
    assert place.run(READER, "virtual", place.clock, "5").stdout == "passed 5\n"
    bound = ("taskset", "-c", str(number))
    assert place.run(*bound, READER, "wait", place.clock, "5").stdout == "passed 5\n"
    assert status_of(place, number)["age_ns"] is not None


def test_nothing_is_reclaimed_early(place: Place, processor_switch: ProcessorSwitch) -> None:
    daemon = place.serve()
    reclaimer = place.start(RECLAIMER, "survive", "1", FENCEPOST_INTERRUPT_CLOCK=str(place.clock))
    assert reclaimer.stdout is not None
    assert reclaimer.stdout.readline() == "reclaimed\n"
    for _ in range(2):
        with processor_switch.off():
            place.run("sleep", "0.1")
        place.run("sleep", "0.1")
    daemon.kill()
    rest, errors = reclaimer.communicate()
    assert (reclaimer.returncode, rest) == (0, "over\n"), errors


def test_no_store_passes_a_fence_of_any_strategy(
    place: Place, processor_switch: ProcessorSwitch
) -> None:
    place.serve()
    heavy = ["ticket", "virtual_clock", "private_expedited", "global", "mprotect", "full_fences"]
    chosen = [word for name in heavy for word in ("--heavy", name)]
    litmus = place.start(
        LITMUS,
        *chosen,
        "--rounds",
        "1000000",
        "--seconds",
        "0.4",
        FENCEPOST_INTERRUPT_CLOCK=str(place.clock),
    )
    assert litmus.stdout is not None
    begun = litmus.stdout.readline()  # by now it has chosen among the processors
    while litmus.poll() is None:
        # The test's own threads are bound to processors, and put elsewhere.
        with processor_switch.off():
            place.run("sleep", "0.05")
        place.run("sleep", "0.1")
    output, errors = litmus.communicate()
    assert litmus.returncode == 0, begun + output + errors
    *sides, _ = map(json.loads, output.splitlines())
    assert {side["heavy"] for side in sides if side["rounds"]} >= {"ticket", "full_fences"}
    assert all(side["violations"] == 0 for side in sides)
