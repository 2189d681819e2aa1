# SPDX-License-Identifier: MIT
"""The functions of an executable or a library, by address.

The file may be anybody's. It is read, not mapped, for who cuts a mapped file short ends its reader;
no more of it than a program has; and of its names only those that are asked for."""

from __future__ import annotations

import bisect
import os
import stat
import struct
from pathlib import Path

from fencepost.system.file_part import part_of

_ELF = b"\x7fELF\x02\x01"  # of 64 bits, little-endian
_HEADER = struct.Struct("<40xQ10xHH2x")  # where the headers of sections are, of what size, how many
_SECTION = struct.Struct("<4xI16xQQI20x")  # what it is, where, of what size, and its strings'
_SYMBOL = struct.Struct("<IBBHQQ")
_SYMBOL_TABLE, _DYNAMIC_SYMBOLS = 2, 11
_FUNCTION, _INDIRECT = 2, 10

#: No program has more.
_MOST_SYMBOLS, _MOST_STRINGS, _LONGEST_NAME = 1 << 21, 1 << 28, 1 << 14


class Functions:
    """Functions of a file, by address. They are those of the table that debuggers use, and those
    that only the dynamic linker's table has. A file that is no program, or is damaged, has none.
    Raises OSError where it cannot be read."""

    def __init__(self, path: Path) -> None:
        self._found: dict[int, tuple[int, int, bytes]] = {}
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            if stat.S_ISREG(os.fstat(descriptor).st_mode):
                self._read(descriptor)
        finally:
            os.close(descriptor)
        self._starts = sorted(self._found)

    def at(self, address: int) -> str | None:
        """The name, as the linker knows it, of the function that this address lies in."""
        n = bisect.bisect_right(self._starts, address) - 1
        if n < 0:
            return None
        size, name_at, strings = self._found[self._starts[n]]
        if address >= self._starts[n] + max(size, 1):
            return None
        name = strings[name_at : name_at + _LONGEST_NAME].partition(b"\0")[0]
        return name.decode(errors="backslashreplace") or None

    def _read(self, file: int) -> None:
        first = os.pread(file, 64, 0)
        if len(first) < 64 or not first.startswith(_ELF):
            return
        at, size, count = _HEADER.unpack(first)
        if size != _SECTION.size:
            return
        headers = part_of(file, at, size * count)
        sections = list(_SECTION.iter_unpack(headers[: len(headers) // size * size]))
        for kind in (_SYMBOL_TABLE, _DYNAMIC_SYMBOLS):
            for what, at, size, strings in sections:
                if what == kind and strings < len(sections):
                    _, names_at, names_size, _ = sections[strings]
                    self._add(
                        part_of(file, at, min(size, _MOST_SYMBOLS * _SYMBOL.size)),
                        part_of(file, names_at, min(names_size, _MOST_STRINGS)),
                    )
                    break  # there is one of each

    def _add(self, table: bytes, strings: bytes) -> None:
        entries = _SYMBOL.iter_unpack(table[: len(table) // _SYMBOL.size * _SYMBOL.size])
        for name_at, info, _, section, address, size in entries:
            if section and info & 15 in (_FUNCTION, _INDIRECT):
                self._found.setdefault(address, (size, name_at, strings))
