# SPDX-License-Identifier: MIT
"""Where the calls of atomic operations in an executable were written: file, line and column.

The names of the calls come from the disassembly, the places from the debug information: the line
table knows the innermost, the inlined functions around an address where each was called. Columns
are what tells two operations on one line apart.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from elftools.elf.elffile import ELFFile

from fencepost.machines import tool
from fencepost.source_location import CHECKERS_OWN, Frame

_CALL = re.compile(r"^\s+[0-9a-f]+:\s+(?:callq?|bl)\s.*<(__tsan_atomic\w+)>")
_ADDRESS = re.compile(r"^\s+([0-9a-f]+):\s")

#: Headers of the C and C++ libraries in which an order is passed through from their caller.
_PASSED_THROUGH = {"atomic", "atomic_base.h", "stdatomic.h", "atomic.h", "atomic_flag.h", "fence.h"}


@dataclass(frozen=True)
class Place(Frame):
    """A frame that also knows its column."""

    column: int = 0


def atomic_calls(executable: Path) -> dict[int, str]:
    """The address that each call of an instrumented atomic operation returns to, and its name."""
    done = subprocess.run(
        [tool("objdump", executable), "-d", "--no-show-raw-insn", "-j", ".text", str(executable)],
        capture_output=True,
        text=True,
        check=True,
    )
    found: dict[int, str] = {}
    called = ""
    for line in done.stdout.splitlines():
        if called and (address := _ADDRESS.match(line)):
            found[int(address[1], 16)] = called
            called = ""
        if match := _CALL.match(line):
            called = match[1]
    return found


def where_written(chain: list[Place]) -> Place | None:
    """The place outside the language's own headers that chose the order, None if one of those did:
    between the two stand only headers that pass an order through."""
    for frame in chain:
        if frame.known and not (frame.is_languages_own or frame.file.endswith(CHECKERS_OWN)):
            return frame
        if Path(frame.file).name not in _PASSED_THROUGH:
            return None
    return None


def places(executable: Path, addresses: Iterable[int]) -> dict[int, list[Place]]:
    """For each address its frames with columns, innermost first; an unknown one has none."""
    wanted = sorted(set(addresses))
    found: dict[int, list[Place]] = {address: [] for address in wanted}
    with executable.open("rb") as file:
        elf = ELFFile(file)
        if not elf.has_dwarf_info():
            return found
        dwarf = elf.get_dwarf_info()
        for unit in dwarf.iter_CUs():
            top = unit.get_top_DIE()
            inside = _holding(top, unit, _low(top, 0), wanted)
            if not inside:
                continue
            lines = _Lines(dwarf.line_program_for_CU(unit), unit)
            calls = _inlined_at(unit, inside)
            for address in inside:
                if innermost := lines.at(address):
                    around = [lines.place(*call) for call in reversed(calls[address])]
                    found[address] = [innermost, *around]
    return found


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
#: A call's file, line and column.
_Call = tuple[int, int, int]


def _inlined_at(unit: Any, addresses: list[int]) -> dict[int, list[_Call]]:
    """For each address the calls that were inlined there, the outermost first."""
    found: dict[int, list[_Call]] = defaultdict(list)
    base = _low(unit.get_top_DIE(), 0)
    for function in _functions(unit.get_top_DIE(), unit, base, addresses):
        _look_inside(function, unit, base, addresses, found)
    return found


def _functions(scope: Any, unit: Any, base: int, addresses: list[int]) -> Iterator[Any]:
    for die in scope.iter_children():
        if die.tag == "DW_TAG_subprogram":
            if _holding(die, unit, base, addresses):
                yield die
        elif die.tag in ("DW_TAG_namespace", "DW_TAG_class_type", "DW_TAG_structure_type"):
            yield from _functions(die, unit, base, addresses)


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
                found[address].append((file, line, column))
        _look_inside(child, unit, base, inside, found)


_CALL_SAYS = ("file", "line", "column")


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
