# SPDX-License-Identifier: MIT
"""The sites whose orders can be varied: what a user edits, not what a compiler made of it.

One line of source may be compiled into many calls, inlined here and there, in one program or in
several. All calls of one operation that were written at one place (file, line and column) are one
site: they change together. Left alone are orders that the C or C++ library chose itself, orders
that were passed in from elsewhere at run time, and calls that no execution makes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fencepost.call_places import Place, atomic_calls, places, where_written
from fencepost.source_location import source_text
from fencepost.weaken_lattice import Domain, Value

ORDER_NAMES = {
    "rlx": "relaxed",
    "acq": "acquire",
    "rel": "release",
    "acq_rel": "acq_rel",
    "sc": "seq_cst",
}
_SHORT = {long: short for short, long in ORDER_NAMES.items()} | {"none": "rlx"}

_CALLED = re.compile(r"__tsan_atomic(?:\d+)?_(\w+)")
_OPERATIONS = {
    "thread_fence": "fence",
    "signal_fence": "light fence",
    "compare_exchange_strong": "compare_exchange",
    "compare_exchange_weak": "compare_exchange",
    "compare_exchange_val": "compare_exchange",
}


class SitesChanged(Exception):
    """A site turned out to be another thing than it was taken for: what was found is void."""


@dataclass
class Site:
    """An operation at a place in the source."""

    place: Place
    operation: str
    #: The addresses that its calls return to, by program.
    calls: dict[int, list[int]] = field(default_factory=dict)
    #: Its orders as they are written, once an execution has come to it.
    written: Value | None = None
    size: int = 0
    domain: Domain = field(init=False)
    #: Why it is left alone, if it is.
    fixed: str = ""

    @property
    def varies(self) -> bool:
        return self.written is not None and not self.fixed

    @property
    def where(self) -> str:
        return f"{self.place.place}:{self.place.column}"

    @property
    def text(self) -> str:
        return source_text(self.place)

    @property
    def is_fence(self) -> bool:
        return self.operation in ("fence", "light fence")

    @property
    def key(self) -> tuple[str, int, int, str]:
        return (self.place.file, self.place.line, self.place.column, self.operation)

    def argument(self, program: int, value: Value) -> list[str]:
        """What tells a program to give this site these orders."""
        said = "/".join(_SHORT[order] for order in value)
        return [f"{pc:x}={said}" for pc in self.calls.get(program, ())]


def _operation(called: str) -> str:
    match = _CALLED.fullmatch(called)
    name = match[1] if match else called
    return _OPERATIONS.get(name, name)


class Sites:
    """All sites of some programs, each known by its number."""

    def __init__(self, chained: bool = False) -> None:
        self._chained = chained
        self._by_key: dict[tuple[str, int, int, str], Site] = {}
        self._by_call: dict[tuple[int, int], Site | None] = {}
        self._library_calls: set[tuple[int, int]] = set()
        self._wanted: tuple[str, ...] = ()
        self.all: list[Site] = []

    def add_program(self, program: int, executable: Path) -> None:
        """Finds the calls in an executable. To be called for all before anything is run."""
        calls = atomic_calls(executable)
        chains = places(executable, [pc - 1 for pc in calls])
        for pc, called in calls.items():
            place = where_written(chains[pc - 1])
            if place is None:
                self._by_call[program, pc] = None
                continue
            place = Place("", place.file, place.line, place.column)
            site = Site(place, _operation(called))
            site = self._by_key.setdefault(site.key, site)
            site.domain = Domain(site.operation, self._chained)
            site.calls.setdefault(program, []).append(pc)
            self._by_call[program, pc] = site
        self.all = sorted(self._by_key.values(), key=lambda site: site.key)

    def of_call(self, program: int, pc: int) -> Site | None:
        return self._by_call.get((program, pc))

    @property
    def library_calls(self) -> int:
        """How many calls were made whose orders the language's library chose."""
        return len(self._library_calls)

    def take(self, program: int, reported: Iterable[dict[str, Any]]) -> None:
        """Takes in which calls an exploration made, with their orders as written. Raises
        SitesChanged where that contradicts what was taken for granted."""
        for call in reported:
            pc = int(call["pc"])
            site = self.of_call(program, pc)
            if site is None:
                self._library_calls.add((program, pc))
                continue
            self._take_orders(site, call)

    def _take_orders(self, site: Site, call: dict[str, Any]) -> None:
        if site.fixed:
            return
        orders = [call["orders"], *([call["failure"]] if call["failure"] else [])]
        value = tuple(ORDER_NAMES[one[0]] for one in orders)
        if site.is_fence and value == ("relaxed",):
            value = ("none",)
        was_varied = site.varies
        if any(len(one) > 1 for one in orders) or (site.written and site.written != value):
            site.fixed = "its order is passed in from elsewhere, and not always the same"
        elif not site.domain.allows(value):
            site.fixed = "an order that the standard does not allow there"
        site.written, site.size = value, int(call["size"])
        if was_varied and site.fixed:
            raise SitesChanged(site.where)
