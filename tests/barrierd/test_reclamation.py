# SPDX-License-Identifier: MIT
"""RCU (rcu.hpp) by the clock of a daemon that runs, and of one that is killed."""

from __future__ import annotations

from clock_place import BUILD, Place

RECLAIMER = BUILD / "tests" / "barrierd" / "reclaimer"


def test_batches_are_reclaimed_by_the_clock_and_nobody_is_stopped(place: Place) -> None:
    place.serve()
    done = place.run(RECLAIMER, "reclaim", "5", FENCEPOST_INTERRUPT_CLOCK=str(place.clock))
    assert (done.returncode, done.stdout) == (0, "stopped 0\n"), done.stderr


def test_batches_are_reclaimed_and_not_early_when_the_daemon_was_killed(place: Place) -> None:
    daemon = place.serve()
    reclaimer = place.start(RECLAIMER, "survive", "10", FENCEPOST_INTERRUPT_CLOCK=str(place.clock))
    assert reclaimer.stdout is not None
    assert reclaimer.stdout.readline() == "reclaimed\n"
    daemon.kill()
    rest, errors = reclaimer.communicate()
    assert (reclaimer.returncode, rest) == (0, "over\n"), errors
