# SPDX-License-Identifier: MIT
"""What no execution of the programs did, so that their proof says nothing of it.

An order may be needed only where a slot is used again, where a compare-exchange fails, where a wait
sleeps. The checker notes what each operation did in the executions of a proof; what it never did is
told above the changes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fencepost.binary.call_places import Place, places
from fencepost.binary.source_location import CHECKERS_OWN
from fencepost.execution.schema import Exploration
from fencepost.render.trace import Paint
from fencepost.weaken.cases import Case, Cases
from fencepost.weaken.sites import Site

#: How many lines say what no execution did.
MOST_LINES = 10

#: Constructors of static objects run before the first execution, and are not seen.
NEVER_REACHED = "no execution comes to it after main has begun"

#: The search ended before all executions of its programs were explored.
NOT_MET = "no execution that was explored comes to it"

_NOT_OVERWRITTEN = "no execution overwrites what it reads"

#: Of what has no order of its own: how it is called, what is looked for, and what it means if no
#: execution shows it.
_OTHERS = {
    "mutex-trylock": ("try_lock", "fails", "it never fails"),
    "spin-trylock": ("try_lock", "fails", "it never fails"),
    "semaphore-trywait": ("try_wait", "fails", "it never fails"),
    "plain": ("read", "overwritten", _NOT_OVERWRITTEN),
    "futex-wait": ("wait", "sleeps", "nobody ever sleeps there"),
}


@dataclass(frozen=True)
class Gap:
    """What no execution did at one place."""

    place: Place
    operation: str
    why: str

    @property
    def where(self) -> str:
        return f"{self.place.place}:{self.place.column}"

    def to_json(self) -> dict[str, str]:
        return {"location": self.where, "operation": self.operation, "why": self.why}


def gap_lines(found: list[Gap], paint: Paint) -> list[str]:
    """A line for a reader for each gap, and not too many."""
    if not found:
        return []
    title = "not covered by these executions; a use that does it may need stronger orders:"
    lines = ["", f"  {paint(title, 33)}"]
    for gap in found[:MOST_LINES]:
        lines.append(f"    {gap.where}: {gap.operation}: {gap.why}")
    if len(found) > MOST_LINES:
        lines.append(f"    and {len(found) - MOST_LINES} more")
    return lines


@dataclass
class _Shown:
    """What the executions showed of one operation."""

    ways: set[str] = field(default_factory=set)
    values: set[int] = field(default_factory=set)

    def take(self, reported: dict[str, Any]) -> None:
        self.ways.update(reported["shown"])
        self.values.add(int(reported["value"]))


_ByCall = dict[tuple[int, int], _Shown]


def gaps(cases: Cases, proofs: Iterable[tuple[Case, Exploration]]) -> list[Gap] | None:
    """What no execution of these proofs did; None if there is none that is whole."""
    shown: _ByCall = defaultdict(_Shown)
    called: dict[tuple[int, int], str] = {}
    whole = False
    executables = {}
    for case, found in proofs:
        if found.verdict != "holds":
            return None
        whole = True
        executables[case.program] = case.executable.executable
        for one in found.coverage:
            at = case.program, int(one["pc"])
            # What a library call reads of its own objects is no use of the program's data.
            if one["what"] == "plain" and at not in cases.sites.plain_reads:
                continue
            shown[at].take(one)
            called[at] = one["what"]
    if not whole:
        return None
    sites = [site for site in cases.sites.all if cases.is_asked(site)]
    never = [
        Gap(site.place, site.operation, NEVER_REACHED) for site in sites if site.written is None
    ]
    outcomes = [
        Gap(site.place, site.operation, why)
        for site in sites
        if site.written is not None
        for why in _of_site(site, shown)
    ]
    others = [gap for gap in _of_others(executables, called, shown) if cases.is_asked(gap)]
    return [*never, *sorted([*outcomes, *others], key=_order)]


def _order(gap: Gap) -> tuple[str, int, int]:
    return gap.place.file, gap.place.line, gap.place.column


def _of_site(site: Site, shown: _ByCall) -> list[str]:
    calls = [(program, pc) for program, pcs in site.calls.items() for pc in pcs]
    seen = [shown[call] for call in calls if call in shown]
    ways = {way for one in seen for way in one.ways}
    values = {value for one in seen for value in one.values}
    if not seen:
        return []
    if site.operation == "compare_exchange":
        named = (("succeeds", "it never succeeds"), ("fails", "it never fails"))
        return [why for way, why in named if way not in ways]
    if site.operation != "load" or "among-others" not in ways:
        return []
    if "varies" not in ways and len(values) == 1:
        return [f"it always reads {_value(*values)}"]
    if "reads-stored" in ways and "overwritten" not in ways:
        return [_NOT_OVERWRITTEN]
    return []


def _value(value: int) -> str:
    return str(value) if value < 10**6 else "the same value"


def _of_others(
    executables: dict[int, Path], called: dict[tuple[int, int], str], shown: _ByCall
) -> list[Gap]:
    """Return the gaps at operations that have no order."""
    wanted = {at for at, what in called.items() if what in _OTHERS}
    if all(_OTHERS[called[at]][1] in shown[at].ways for at in wanted):
        return []
    found: dict[tuple[Place, str], set[str]] = defaultdict(set)
    for program, executable in executables.items():
        own = [pc for number, pc in wanted if number == program]
        chains = places(executable, {pc - 1 for pc in own})
        for pc in own:
            if place := _written_at(chains[pc - 1]):
                found[place, called[program, pc]] |= shown[program, pc].ways
    return [
        Gap(place, _OTHERS[what][0], _OTHERS[what][2])
        for (place, what), ways in found.items()
        if _OTHERS[what][1] not in ways
    ]


def _written_at(chain: list[Place]) -> Place | None:
    """The place in the program's own code."""
    for frame in chain:
        if frame.known and not (frame.is_languages_own or frame.file.endswith(CHECKERS_OWN)):
            return Place("", frame.file, frame.line, frame.column)
    return None
