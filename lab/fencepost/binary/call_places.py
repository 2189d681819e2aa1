# SPDX-License-Identifier: MIT
"""Where the calls in an executable were written, above all those of atomic operations: file, line
and column.

The names of the calls come from the disassembly, the places from the debug information: the line
table knows the innermost, the inlined functions around an address where each was called. Columns
are what tells two operations on one line apart.
"""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from fencepost.binary.machines import tool
from fencepost.binary.source_location import CHECKERS_OWN, Frame
from fencepost.system import tool_process

_CALL = re.compile(r"^\s+[0-9a-f]+:\s+(?:callq?|bl)\s.*<([\w.$]+)(?:@plt)?>")
_ATOMIC = "__tsan_atomic"
_ADDRESS = re.compile(r"^\s+([0-9a-f]+):\s")

#: Headers of the C and C++ libraries in which an order is passed through from their caller.
_PASSED_THROUGH = {"atomic", "atomic_base.h", "stdatomic.h", "atomic.h", "atomic_flag.h", "fence.h"}


@dataclass(frozen=True)
class Place(Frame):
    """A frame that also knows its column; its function is "" where nothing was inlined."""

    column: int = 0


def all_calls(executable: Path) -> dict[int, str]:
    """The address that each call of a named function returns to, and the function's symbol."""
    command = [tool("objdump", executable), "-d", "--no-show-raw-insn", "-j", ".text"]
    done = tool_process.run([*command, executable], check=True)
    found: dict[int, str] = {}
    called = ""
    for line in done.stdout.splitlines():
        if called and (address := _ADDRESS.match(line)):
            found[int(address[1], 16)] = called
            called = ""
        if match := _CALL.match(line):
            called = match[1]
    return found


def is_atomic(called: str) -> bool:
    """Whether an instrumented atomic operation or fence was called."""
    return called.startswith(_ATOMIC)


def is_plain_read(called: str) -> bool:
    """Whether an instrumented read of plain memory was called."""
    return called.startswith("__tsan_") and "read" in called and "vptr" not in called


def where_written(chain: list[Place]) -> Place | None:
    """The place outside the language's own headers that chose the order, None if one of those did:
    between the two stand only headers that pass an order through."""
    for frame in chain:
        if frame.known and not (frame.is_languages_own or frame.file.endswith(CHECKERS_OWN)):
            return frame
        if Path(frame.file).name not in _PASSED_THROUGH:
            return None
    return None


def is_lost(chain: list[Place]) -> bool:
    """Whether a compiler made the call of several that were written apart, and says no place: the
    first frame outside of those headers is at line 0."""
    for frame in chain:
        if Path(frame.file).name not in _PASSED_THROUGH:
            return not frame.line
    return not chain


def places(executable: Path, addresses: Iterable[int]) -> dict[int, list[Place]]:
    """The frames of each address with columns, innermost first; an unknown one has none."""
    from elftools.elf.elffile import ELFFile  # long to load, and most checks place nothing

    wanted = sorted(set(addresses))
    found: dict[int, list[Place]] = {address: [] for address in wanted}
    # What the reader does not know, or something has spoiled, is a unit of which nothing is known.
    with executable.open("rb") as file, suppress(Exception):
        elf = ELFFile(file)
        if not elf.has_dwarf_info():
            return found
        dwarf = elf.get_dwarf_info()
        for unit in _units(dwarf, wanted):
            with suppress(Exception):
                found |= _in_unit(dwarf, unit, wanted)
    return found


def _in_unit(dwarf: Any, unit: Any, wanted: list[int]) -> dict[int, list[Place]]:
    """Return the frames of those of the `wanted` addresses that lie in the compilation unit."""
    found: dict[int, list[Place]] = {}
    top = unit.get_top_DIE()
    inside = _holding(top, unit, _low(top, 0), wanted)
    if not inside:
        return found
    lines = _Lines(dwarf.line_program_for_CU(unit), unit)
    calls = _inlined_at(unit, inside)
    for address in inside:
        if innermost := lines.at(address):
            inlined = calls[address][::-1]
            at = [innermost, *(lines.place(*call.at) for call in inlined)]
            functions = [*(call.function for call in inlined), ""]
            found[address] = list(map(_in_function, at, functions))
    return found


def _units(dwarf: Any, addresses: list[int]) -> Iterable[Any]:
    """The compilation units that these addresses lie in; all, where no table tells. So nothing is
    read of the checker's own, which are many."""
    table = dwarf.get_aranges()
    offsets = {table.cu_offset_at_addr(address) if table else None for address in addresses}
    if None in offsets:
        return list(dwarf.iter_CUs())
    return [dwarf.get_CU_at(offset) for offset in offsets]


def _in_function(place: Place, function: str) -> Place:
    return replace(place, function=function)


class _Lines:
    """The line table of one compilation unit."""

    def __init__(self, program: Any, unit: Any) -> None:
        self._program = program
        top = unit.get_top_DIE().attributes.get("DW_AT_comp_dir")
        self._base = top.value.decode(errors="replace") if top else ""
        self._rows: list[tuple[int, int, int, int, int]] = []  # from, to, file, line, column
        previous = None
        for entry in program.get_entries() if program else ():
            state = entry.state
            if state is None:
                continue
            if previous is not None and previous.address < state.address:
                row = (previous.file, previous.line, previous.column)
                self._rows.append((previous.address, state.address, *row))
            previous = None if state.end_sequence else state
        self._rows.sort()

    def at(self, address: int) -> Place | None:
        row = next((row for row in self._rows if row[0] <= address < row[1]), None)
        return self.place(*row[2:]) if row else None

    def place(self, file: int, line: int, column: int) -> Place:
        header = self._program.header
        first = 0 if header.version >= 5 else 1
        entry = header.file_entry[file - first]
        name = entry.name.decode(errors="replace")
        directories = header.include_directory
        if header.version >= 5:
            directory = directories[entry.dir_index].decode(errors="replace")
        elif entry.dir_index:
            directory = directories[entry.dir_index - 1].decode(errors="replace")
        else:
            directory = self._base
        path = os.path.normpath(Path(self._base) / directory / name)
        return Place("", path, line, column)


_INLINED = "DW_TAG_inlined_subroutine"


@dataclass(frozen=True)
class _Call:
    """What was inlined, and at which file, line and column."""

    function: str
    at: tuple[int, int, int]


def _inlined_at(unit: Any, addresses: list[int]) -> dict[int, list[_Call]]:
    """The calls that were inlined at each address, the outermost first."""
    found: dict[int, list[_Call]] = defaultdict(list)
    base = _low(unit.get_top_DIE(), 0)
    left = addresses
    # Few functions, such as destructors of local classes, stand inside of others, which are many.
    for scopes in (_SCOPES, (*_SCOPES, *_LOCAL_SCOPES)):
        for function in _functions(unit.get_top_DIE(), unit, base, left, scopes):
            inside = _holding(function, unit, base, left)
            _look_inside(function, unit, base, inside, found)
            left = [one for one in left if one not in inside]
        if not left:
            break
    return found


_SCOPES = ("DW_TAG_namespace", "DW_TAG_class_type", "DW_TAG_structure_type")
_LOCAL_SCOPES = ("DW_TAG_subprogram", "DW_TAG_lexical_block")


def _functions(
    scope: Any, unit: Any, base: int, addresses: list[int], scopes: tuple[str, ...]
) -> Iterator[Any]:
    for die in scope.iter_children():
        if die.tag == "DW_TAG_subprogram" and _holding(die, unit, base, addresses):
            yield die
        elif die.tag in scopes:
            yield from _functions(die, unit, base, addresses, scopes)


def _look_inside(
    die: Any, unit: Any, base: int, addresses: list[int], found: dict[int, list[_Call]]
) -> None:
    for child in die.iter_children():
        if child.tag not in (_INLINED, "DW_TAG_lexical_block"):
            continue
        inside = _holding(child, unit, base, addresses)
        if not inside:
            continue
        if child.tag == _INLINED:
            said = [child.attributes.get(f"DW_AT_call_{what}") for what in _CALL_SAYS]
            file, line, column = (one.value if one else 0 for one in said)
            for address in inside:
                found[address].append(_Call(_name(child), (file, line, column)))
        _look_inside(child, unit, base, inside, found)


_CALL_SAYS = ("file", "line", "column")


def _name(die: Any) -> str:
    """What the source calls a function, without what qualifies it or a template's arguments."""
    for _ in range(4):  # an inlined one's origin, its definition's declaration
        if name := die.attributes.get("DW_AT_name"):
            return str(name.value.decode(errors="replace").partition("<")[0])
        refers = [one for one in _REFERS if one in die.attributes]
        if not refers:
            break
        die = die.get_DIE_from_attribute(refers[0])
    return ""


_REFERS = ("DW_AT_abstract_origin", "DW_AT_specification")


def _low(die: Any, otherwise: int) -> int:
    low = die.attributes.get("DW_AT_low_pc")
    if low is None:
        return otherwise
    if low.form.startswith("DW_FORM_addrx"):
        return int(die.dwarfinfo.get_addr(die.cu, low.value))
    return int(low.value)


def _holding(die: Any, unit: Any, base: int, addresses: list[int]) -> list[int]:
    """Those of the addresses that lie in a DIE's code."""
    if "DW_AT_ranges" in die.attributes:
        spans = _ranges(die, unit, base)
    elif "DW_AT_high_pc" in die.attributes:
        low = _low(die, 0)
        high = die.attributes["DW_AT_high_pc"]
        spans = [(low, high.value if high.form == "DW_FORM_addr" else low + high.value)]
    else:
        return []
    return [one for one in addresses if any(low <= one < high for low, high in spans)]


def _ranges(die: Any, unit: Any, base: int) -> list[tuple[int, int]]:
    lists = die.dwarfinfo.range_lists()
    attribute = die.attributes["DW_AT_ranges"]
    offset = attribute.value
    if attribute.form == "DW_FORM_rnglistx":
        return _listed(lists.get_range_list_at_offset_ex(offset), base)
    return _listed(lists.get_range_list_at_offset(offset, unit), base)


def _listed(entries: Any, base: int) -> list[tuple[int, int]]:
    spans = []
    for entry in entries:
        if hasattr(entry, "base_address"):
            base = entry.base_address
        else:
            start = 0 if getattr(entry, "is_absolute", False) else base
            spans.append((start + entry.begin_offset, start + entry.end_offset))
    return spans
