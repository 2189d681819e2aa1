# SPDX-License-Identifier: MIT
"""The sites whose orders can be varied: what a user edits, not what a compiler made of it.

One line of source may be compiled into many calls, inlined here and there, in one program or in
several. All calls of one operation that were written at one place (file, line and column) are one
site: they change together. Of a macro's use the compiler knows one place for all that the macro
says: there each call that it has of them in one function is a site of its own. Where calls that
were inlined from one place ask for different orders, the order was handed in, and the site is the
place that did that. A call of a function that is a fence is a site, too, beside what is in the
function.

Left alone are orders that the C or C++ library or the compiler chose itself (of what it looks at
before a static variable of a function is initialised), orders that were passed in at run time, and
calls that no execution makes.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import product, takewhile
from pathlib import Path
from typing import Any

from fencepost.binary.call_places import (
    Place,
    all_calls,
    is_atomic,
    is_lost,
    is_plain_read,
    places,
    where_written,
)
from fencepost.binary.elf_functions import Functions
from fencepost.binary.fence_calls import ASYMMETRIC, calls_in_fences, fences_around
from fencepost.binary.object_symbols import symbols
from fencepost.binary.source_location import source_lines, source_text
from fencepost.weaken.lattice import CALL_OF, Domain, Value
from fencepost.weaken.source_orders import closing

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


#: How the names of guard variables begin (Itanium C++ ABI, 5.1.5.3).
_GUARD = "_ZGV"

#: File, line, column and operation.
Key = tuple[str, int, int, str]


class SitesChanged(Exception):
    """A site turned out to be another thing than it was taken for: what was found is void."""


@dataclass
class Site:
    """An operation at a place in the source."""

    place: Place
    operation: str
    #: Which of several that a macro's use has, 0 where there is one.
    ordinal: int = 0
    #: The addresses that its calls return to, by program.
    calls: dict[int, list[int]] = field(default_factory=dict)
    #: And in a function that is a fence, those of calls that are no atomic operations.
    watched: dict[int, list[int]] = field(default_factory=dict)
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
        which = f" (number {self.ordinal} of the macro)" if self.ordinal else ""
        return f"{self.place.place}:{self.place.column}{which}"

    @property
    def text(self) -> str:
        return source_text(self.place)

    @property
    def is_call(self) -> bool:
        """Whether the site is a call of a function that is a fence."""
        return self.operation.startswith(CALL_OF)

    @property
    def is_fence(self) -> bool:
        return self.operation in ("fence", "light fence") or self.is_call

    @property
    def key(self) -> Key:
        which = f" {self.ordinal}" if self.ordinal else ""
        return (self.place.file, self.place.line, self.place.column, self.operation + which)

    def is_in(self, program: int) -> bool:
        return program in self.calls or program in self.watched

    def argument(self, program: int, value: Value) -> dict[int, str]:
        """What tells a program to give this site these orders: a word for each call."""
        if value == ("there",):
            return {}
        said = "/".join(_SHORT[order] for order in value)
        words = dict.fromkeys(self.calls.get(program, ()), said)
        return words | dict.fromkeys(self.watched.get(program, ()), "none")


@dataclass(frozen=True)
class _Call:
    """One call in an executable: its operation, and where that may have been written: the place
    itself, and the places that it was inlined at, outwards."""

    operation: str
    places: tuple[Place, ...]


def _operation(called: str) -> str:
    match = _CALLED.fullmatch(called)
    name = match[1] if match else called
    return _OPERATIONS.get(name, name)


def _call(called: str, chain: list[Place]) -> _Call | None:
    """None if the language's own library chose its order."""
    first = where_written(chain)
    if first is None:
        return None
    outwards = takewhile(lambda place: where_written([place]), chain[chain.index(first) :])
    return _Call(_operation(called), tuple(outwards))


class Sites:
    """All sites of some programs, each known by its number."""

    def __init__(self, chained: bool = False, fences: Iterable[str] = ()) -> None:
        self._chained = chained
        #: The names of functions that are fences.
        self.fences = (*ASYMMETRIC, *fences)
        #: By program and address.
        self._calls: dict[tuple[int, int], _Call | None] = {}
        self._ordinals: dict[tuple[int, int], int] = {}
        self._fence_calls: dict[tuple[int, int], list[Site]] = {}
        self._asked: dict[tuple[int, int], list[Value]] = {}
        self._sizes: dict[tuple[int, int], int] = {}
        #: Of functions that are fences, apart from the rest: they are there, whatever else is.
        self._fence_sites: dict[Key, Site] = {}
        #: Where orders were handed in.
        self._handed_in: set[Key] = set()
        #: The calls that announce a plain read of the program's own.
        self.plain_reads: set[tuple[int, int]] = set()
        self._library_calls: set[tuple[int, int]] = set()
        #: Those that the compiler made of several: nobody knows where they are written.
        self._lost: set[tuple[int, int]] = set()
        self._lost_calls: set[tuple[int, int]] = set()
        #: By which compilers tell that a function's static variable is initialised; by program.
        self._guards: dict[int, set[int]] = {}
        #: Whether a program calls std::atomic::wait, which is told an order and has it in a loop of
        #: the library's.
        self.waits = False
        self.all: list[Site] = []

    def add_program(self, program: int, executable: Path) -> None:
        """Finds the calls in an executable. To be called for all before anything is run."""
        calls = all_calls(executable)
        self.waits |= b"__atomic_wait_address_v" in executable.read_bytes()
        self.plain_reads |= {(program, pc) for pc, called in calls.items() if is_plain_read(called)}
        self._guards[program] = {
            symbol.address for symbol in symbols(executable) if symbol.name.startswith(_GUARD)
        }
        atomic = [pc for pc, called in calls.items() if is_atomic(called)]
        in_fences = calls_in_fences(executable, calls, self.fences)
        chains = places(executable, {pc - 1 for pc in in_fences.union(atomic)})
        for pc in atomic:
            self._calls[program, pc] = _call(calls[pc], chains[pc - 1])
            if is_lost(chains[pc - 1]):
                self._lost.add((program, pc))
        self._count_in_macros(program, executable, atomic)
        for pc in sorted(in_fences):
            for name, place in fences_around(calls[pc], chains[pc - 1], self.fences):
                site = self._fence_site(name, place)
                by_program = site.calls if is_atomic(calls[pc]) else site.watched
                by_program.setdefault(program, []).append(pc)
                self._fence_calls.setdefault((program, pc), []).append(site)
        self._gather()

    def _count_in_macros(self, program: int, executable: Path, atomic: Iterable[int]) -> None:
        functions = Functions(executable)
        alike: defaultdict[tuple[_Call, str | None], list[int]] = defaultdict(list)
        for pc in atomic:
            if call := self._calls[program, pc]:
                alike[call, functions.at(pc)].append(pc)
        for (call, _), pcs in alike.items():
            if len(pcs) > 1 and _has_several(call.places[0]):
                self._ordinals |= {(program, pc): n for n, pc in enumerate(sorted(pcs), 1)}

    def _fence_site(self, name: str, place: Place) -> Site:
        site = Site(_anonymous(place), CALL_OF + name)
        site.domain = Domain(site.operation)
        return self._fence_sites.setdefault(site.key, site)

    def _gather(self) -> None:
        """Makes sites of the calls, and of what they asked for."""
        by_key: dict[Key, Site] = {}
        for (program, pc), call in self._calls.items():
            if call is None:
                continue
            handed_in = True
            for place in call.places:
                ordinal = self._ordinals.get((program, pc), 0) if place == call.places[0] else 0
                site = Site(_anonymous(place), call.operation, ordinal)
                if handed_in := site.key in self._handed_in:
                    continue
                break
            site = by_key.setdefault(site.key, site)
            site.domain = Domain(site.operation, self._chained)
            site.calls.setdefault(program, []).append(pc)
            if handed_in:
                site.fixed = _PASSED_IN
            if not site.place.column:
                site.fixed = _NO_COLUMN
            self._take_orders(site, program, pc)
        self.all = sorted({**by_key, **self._fence_sites}.values(), key=lambda site: site.key)

    def _take_orders(self, site: Site, program: int, pc: int) -> None:
        asked = self._asked.get((program, pc))
        if asked is None:
            return
        if len(asked) > 1 or (site.written and site.written != asked[0]):
            site.fixed = site.fixed or _PASSED_IN
        elif not site.domain.allows(asked[0]):
            site.fixed = site.fixed or "an order that the standard does not allow there"
        site.written, site.size = asked[0], self._sizes[program, pc]

    @property
    def library_calls(self) -> int:
        """How many calls were made whose orders the language's library chose."""
        return len(self._library_calls)

    @property
    def lost_calls(self) -> int:
        """How many calls were made of which nobody knows where they are written."""
        return len(self._lost_calls)

    def watched(self, program: int) -> list[int]:
        """The calls of functions that a program must tell of."""
        return [pc for site in self._fence_sites.values() for pc in site.watched.get(program, ())]

    def take(self, program: int, reported: Iterable[dict[str, Any]]) -> None:
        """Takes in which calls an exploration made, with their orders as written. Raises
        SitesChanged where that contradicts what was taken for granted."""
        keys = [site.key for site in self.all]
        before = {site.key: (site.written, site.fixed) for site in self.all if site.varies}
        is_new = False
        for call in reported:
            at = program, int(call["pc"])
            for site in self._fence_calls.get(at, ()):
                is_new |= site.written is None
                site.written = ("there",)
            if call["what"] != "call":
                is_new |= self._learn(at, call)
        if not is_new:
            return
        self._gather()
        while self._hand_over():
            self._gather()
        after = {site.key: (site.written, site.fixed) for site in self.all}
        if before and (
            list(after) != keys or any(after[key] != known for key, known in before.items())
        ):
            raise SitesChanged

    def _learn(self, at: tuple[int, int], call: dict[str, Any]) -> bool:
        """Whether a call, and what it asks for, were unknown."""
        if (known := self._calls.get(at)) is None:
            (self._lost_calls if at in self._lost else self._library_calls).add(at)
            return False
        if call.get("from") in self._guards[at[0]]:
            self._calls[at] = None
            self._library_calls.add(at)
            return True
        orders = [call["orders"], *([call["failure"]] if call["failure"] else [])]
        values = [tuple(ORDER_NAMES[one] for one in value) for value in product(*orders)]
        if known.operation in ("fence", "light fence"):
            values = [("none",) if value == ("relaxed",) else value for value in values]
        # One exploration may ask for less than another, whose orders were weaker.
        before = self._asked.get(at, [])
        added = [value for value in values if value not in before]
        self._asked[at], self._sizes[at] = [*before, *added], int(call["size"])
        return bool(added)

    def _hand_over(self) -> bool:
        """Whether there are sites whose calls ask for different orders, each for one, and were
        inlined from somewhere: then the sites are there."""
        found = set()
        for site in self.all:
            if site.fixed == _PASSED_IN and site.key not in self._handed_in:
                calls = [(program, pc) for program, pcs in site.calls.items() for pc in pcs]
                if all(self._is_handed(call, site.key) for call in calls):
                    found.add(site.key)
        self._handed_in |= found
        return bool(found)

    def _is_handed(self, at: tuple[int, int], key: Key) -> bool:
        call = self._calls[at]
        assert call
        outermost = Site(_anonymous(call.places[-1]), call.operation)
        return outermost.key != key and len(self._asked.get(at, ())) <= 1


_OPERATION = re.compile(
    r"\b(?:__)?(?:atomic_\w+|load|store|exchange|fetch_\w+|compare_exchange_\w+|test_and_set|clear"
    r"|test)\s*\("
)


def _has_several(place: Place) -> bool:
    """Whether the name at a place may be that of a macro which says several operations: a file's
    own, one that looks like it, or C's for an operation with another one in its parentheses."""
    lines = source_lines(place.file)
    line = lines[place.line - 1] if 0 < place.line <= len(lines) else ""
    name = re.match(r"[A-Za-z_]\w*", line[place.column - 1 :])
    if name is None:
        return False
    rest = line[place.column - 1 :]
    inside = rest[name.end() : closing(rest, name.end()) + 1] if rest[name.end() :] else ""
    said = len(_OPERATION.findall(inside))
    if _OPERATION.match(rest):
        return said > 0
    defined = re.compile(rf"\s*#\s*define\s+{name[0]}\b")
    if (number := next((n for n, one in enumerate(lines) if defined.match(one)), None)) is None:
        return name[0] == "assert" or (name[0].isupper() and len(name[0]) > 1)
    body = lines[number]
    while body.endswith("\\") and number + 1 < len(lines):
        number += 1
        body += lines[number]
    # One operation is one, into however many calls a loop that is unrolled has made it.
    return said + len(_OPERATION.findall(body)) != 1


def _anonymous(place: Place) -> Place:
    return Place("", place.file, place.line, place.column)


_NO_COLUMN = "the compiler does not tell which operation of so long a line it is"
_PASSED_IN = "its order is passed in from elsewhere, and not always the same"
