# SPDX-License-Identifier: MIT
"""Whether a program that holds relies on it that no wait returns for nothing.

Condition variables and futexes may wake a waiter that nobody has woken. A program that waits in a
loop which looks again does not notice; one that waits without a predicate does. Spurious wake-ups
are only explored on request, so where a program holds without them it is explored again with one in
each thread, for a bounded number of executions. What fails then is no violation, but the
certificate names it with the line of the wait.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from fencepost.execution.schema import Exploration, Violation
from fencepost.execution.symbolise import Names
from fencepost.explore.run_program import Bounds
from fencepost.toolchain.toolchain import Program

#: How much is explored: so many executions, and so much of what the verdict took.
FEW_EXECUTIONS = 1000
FRACTION = 10
#: Should they be long ones. Seconds.
AT_MOST = 10.0

_ASSUMED = "waits return only when woken (see --spurious)"
_WAKES_FOR_NOTHING = "spurious-wakeup"


def bounds_with_one(bounds: Bounds, found: Exploration) -> Bounds:
    """What is explored to find out."""
    seen = found.executions + found.blocked
    return replace(
        bounds,
        spurious=1,
        all=False,
        jobs=1,
        checkpoint="",
        max_executions=FEW_EXECUTIONS + seen // FRACTION,
        timeout=min(AT_MOST, bounds.timeout or AT_MOST),
    )


def with_note(
    program: Program, bounds: Bounds, found: Exploration, explore: Callable[[Bounds], Exploration]
) -> Exploration:
    """With what is found of waits that return for nothing in place of the assumption."""
    if found.verdict != "holds" or bounds.spurious or not found.stats.get("waits"):
        return found
    again = explore(bounds_with_one(bounds, found))
    note = _note(program, again)
    assumptions = tuple(note if text == _ASSUMED else text for text in found.assumptions)
    return replace(found, assumptions=assumptions)


def _note(program: Program, again: Exploration) -> str:
    if again.violation and (waits := _waits(again.violation)):
        return _failure(program, again.violation, waits)
    tried = again.executions + again.blocked
    if again.verdict == "holds":
        return "waits return only when woken, or once in each thread for nothing"
    why = again.reason.partition("\n")[0]
    tries = f"once in each thread for nothing was tried in {tried} executions"
    return f"{_ASSUMED}; {tries}, without a verdict: {why}"


def _waits(violation: Violation) -> list[int]:
    """Where those are that have returned for nothing."""
    return [
        event.pc
        for event in violation.execution.events
        if event.what == _WAKES_FOR_NOTHING and event.value == 1
    ]


def _failure(program: Program, violation: Violation, waits: list[int]) -> str:
    names = Names(program, violation.execution, (violation.pc,))
    places = dict.fromkeys(names.place(pc) or "an unknown place" for pc in waits)
    at = names.place(violation.pc)
    where = f" at {at}" if at else ""
    return (
        f"waits return only when woken: if the wait at {' and '.join(places)} "
        f"returned for nothing, the program could fail{where} ({violation.kind}); see --spurious"
    )
