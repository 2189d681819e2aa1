# SPDX-License-Identifier: MIT
"""Names of what lies on heaps and stacks: `Node#1.next`, `block#1+8`, `done`.

The checker says which blocks and local variables an execution's accesses and pointers lie in, and
the code that allocated or declared each. A local variable's name and type are in the debug
information. What a block holds nobody writes down: it is taken from the type that the allocating
code names, where that type has the block's size.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from fencepost.binary.call_places import Place, places
from fencepost.binary.source_location import Frame, inline_chains, source_text, users_frame
from fencepost.binary.variables import Variables, path_in, size_of
from fencepost.execution.schema import MemoryObject
from fencepost.toolchain.toolchain import Program

#: The name of a type, which a template's arguments may end; no pointer to it.
_TYPE = r"((?:\w+::)*\w+(?:<[^<>]*(?:<[^<>]*>[^<>]*)*>)?)"

#: Functions of the C++ library that allocate objects of the type between the brackets.
_LIBRARYS = re.compile(rf"\b(?:make_unique|_Sp_counted_ptr_inplace|allocator)<{_TYPE}\s*[,>]")

#: `new Node`, `sizeof(struct node)`, `struct node* n = malloc(...)`: what a line allocates.
_WRITTEN = (
    re.compile(rf"\bnew\s*(?:\([^()]*\)\s*)?{_TYPE}(?!\s*[\w:*<])"),
    re.compile(rf"\bsizeof\s*\(?\s*(?:struct\s+|union\s+)?{_TYPE}(?!\s*[\w:*<])"),
    re.compile(rf"\b{_TYPE}\s*\*\s*(?:const\s+)?\w+\s*=[^=].*alloc\s*\("),
)

#: Where std::make_shared puts the object, and what lies before it.
_SHARED = 16
_COUNTS = {8: "'s use count", 12: "'s weak count"}


@dataclass
class _Named:
    """What is known of one object."""

    object: MemoryObject
    title: str  # a local variable's name, or what a block is called before its number
    numbered: bool
    type: Any = None  # the type's DIE
    before: int = 0  # bytes before the value of that type
    name: str = ""  # once it was asked for


class MemoryObjects:
    """The memory objects of one execution, and how addresses in them are named."""

    def __init__(
        self, program: Program, objects: tuple[MemoryObject, ...], variables: Variables
    ) -> None:
        self._variables = variables
        self._numbers: Counter[str] = Counter()
        self._frames: dict[int, Frame | None] = {}
        asked = {one.pc - 1 for one in objects if one.pc}
        chains = inline_chains(program.executable, asked)
        locals_at = {one.pc - 1 for one in objects if one.on_stack and one.pc}
        declared = places(program.executable, locals_at) if locals_at else {}
        self._all: list[_Named] = []
        self._of_threads = [one for one in objects if one.thread_local]
        for one in objects:
            if one.thread_local:
                continue
            chain = chains.get(one.pc - 1, [])
            self._frames[one.address] = users_frame(chain)
            if one.on_stack:
                self._all.append(self._variable(one, declared.get(one.pc - 1, [])))
            else:
                self._all.append(self._block(one, chain))
        self._set_apart()

    def name(self, address: int) -> str | None:
        """The expression that names the address, None where nothing is known to lie there."""
        found = self._at(address)
        if found is None:
            return self._thread_local(address)
        return self._title(found) + self._inside(found, address - found.object.address)

    def pointee(self, address: int) -> str | None:
        """What a pointer with that value points to: the object itself where it begins."""
        found = self._at(address)
        if found is None or address - found.object.address != found.before:
            return self.name(address)
        return self._title(found)

    def _thread_local(self, address: int) -> str | None:
        for one in self._of_threads:
            if 0 <= address - one.address < one.size:
                name = self._variables.thread_local(address - one.address)
                return name and f"{name[0]}{_whose(one)}{name[1]}"
        return None

    def _at(self, address: int) -> _Named | None:
        for one in self._all:
            if 0 <= address - one.object.address < max(one.object.size, 1):
                return one
        return None

    def met(self) -> Iterator[tuple[str, MemoryObject, str | None]]:
        """Those that were asked for, by their names, with the place of what made them."""
        for one in self._all:
            if one.name:
                frame = self._frames[one.object.address]
                yield one.name, one.object, frame.place if frame else None

    def told(self, thread: Callable[[int], str]) -> Iterator[str]:
        """What those are that a reader does not know from the source by their name."""
        for one in self._all:
            if not (one.name and one.numbered):
                continue
            frame = self._frames[one.object.address]
            at = f" at {frame.place}: {source_text(frame)}" if frame else ""
            if frame and frame.is_system:
                at = " in a library"
            size = f"{one.object.size} byte{'s' if one.object.size != 1 else ''}"
            who = thread(one.object.thread)
            what = f"of {who}'s stack, declared" if one.object.on_stack else f"that {who} allocated"
            yield f"{one.name}: {size} {what}{at}"

    def _title(self, one: _Named) -> str:
        if not one.name:
            self._numbers[one.title] += one.numbered
            one.name = f"{one.title}#{self._numbers[one.title]}" if one.numbered else one.title
        return one.name

    @staticmethod
    def _inside(one: _Named, offset: int) -> str:
        if offset < one.before:
            return _COUNTS.get(offset, f"'s control block+{offset}")
        offset -= one.before
        size = size_of(one.type)
        if not size:
            return f"+{offset}" if offset else ""
        if one.object.on_stack or one.object.size - one.before < 2 * size:
            return path_in(one.type, offset)
        return f"[{offset // size}]{path_in(one.type, offset % size)}"

    def _variable(self, one: MemoryObject, chain: list[Place]) -> _Named:
        found = self._variables.local(chain[0], one.size) if chain else None
        if found is None:
            return _Named(one, "local", numbered=True)
        name, kind = found
        return _Named(one, name, numbered=False, type=kind)

    def _block(self, one: MemoryObject, chain: list[Frame]) -> _Named:
        for name in _allocated(chain):
            for kind in self._variables.types(_own(name)):
                size = size_of(kind)
                shared = any("_Sp_counted_ptr_inplace" in frame.function for frame in chain)
                before = _SHARED if shared else 0
                rest = one.size - before
                if size and (-(-size // 8) * 8 == rest if shared else rest % size == 0 and rest):
                    return _Named(one, _own(name), numbered=True, type=kind, before=before)
        if not one.pc:  # no code of the program's: what main is given
            return _Named(one, "argv", numbered=False)
        return _Named(one, "block", numbered=True)

    def _set_apart(self) -> None:
        """Tell variables with the same name apart: each title says whose the variable is."""
        seen = Counter(one.title for one in self._all if not one.numbered)
        for one in self._all:
            if not one.numbered and seen[one.title] > 1:
                one.title += _whose(one.object)
        seen = Counter(one.title for one in self._all if not one.numbered)
        for one in self._all:
            one.numbered = one.numbered or seen[one.title] > 1


def _whose(one: MemoryObject) -> str:
    return f"@T{one.thread}" if one.thread else "@main"


def _own(name: str) -> str:
    """Without the scopes around it."""
    plain, bracket, arguments = name.partition("<")
    return plain.rpartition("::")[2] + bracket + arguments


def _allocated(chain: list[Frame]) -> Iterator[str]:
    """The types that the code says it allocates."""
    for frame in chain:
        yield from _LIBRARYS.findall(frame.function)
    if chain and not chain[0].is_system:
        text = source_text(chain[0])
        for pattern in _WRITTEN:
            yield from pattern.findall(text)
