# SPDX-License-Identifier: MIT
"""The symbols of object files, archives and executables. They are read here, for a check asks many
times, and `nm` starts by loading the compilers' plugins."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from fencepost.binary.machines import tool
from fencepost.system import tool_process

OBJECT, FUNCTION, THREAD_LOCAL, CHOSEN_FUNCTION, GLOBAL = 1, 2, 6, 10, 1
LOCAL, WEAK = 0, 2

_ELF = b"\x7fELF\x02\x01"  # of 64 bits, little-endian
_ARCHIVE = b"!<arch>\n"
_SYMBOL_TABLE, _DYNAMIC_SYMBOLS = 2, 11
_EXECUTABLE = 4  # of a section's flags
#: What stands in place of the code in an object of -flto: only the compiler's plugin can read it.
_NO_CODE = "__gnu_lto_slim"


class Symbol(NamedTuple):
    name: str
    address: int
    size: int
    kind: int
    binding: int
    defined: bool
    in_code: bool = False


class _NotUnderstood(Exception):
    pass


#: What reading an object raises that is none, or spoiled.
_UNREADABLE = (_NotUnderstood, struct.error, ValueError, IndexError, OverflowError)


def _members(content: memoryview) -> Iterator[memoryview]:
    """An archive's members, its own tables among them; an object is the only member of itself."""
    if content[: len(_ARCHIVE)] != _ARCHIVE:
        yield content
        return
    at = len(_ARCHIVE)
    while at + 60 <= len(content):
        size = int(bytes(content[at + 48 : at + 58]))
        if size < 0:
            raise _NotUnderstood
        if bytes(content[at : at + 2]) not in (b"/ ", b"//"):
            yield content[at + 60 : at + 60 + size]
        at += 60 + size + size % 2


def _symbols(elf: memoryview, kind: int = _SYMBOL_TABLE) -> Iterator[Symbol]:
    if elf[: len(_ELF)] != _ELF:
        raise _NotUnderstood
    (sections_at,) = struct.unpack_from("<Q", elf, 0x28)
    entry_size, count = struct.unpack_from("<HH", elf, 0x3A)
    if not count:
        raise _NotUnderstood  # there are more than fit into this field
    headers = [
        struct.unpack_from("<IIQQQQIIQQ", elf, sections_at + entry_size * number)
        for number in range(count)
    ]
    for header in headers:
        if header[1] != kind:
            continue
        names_at, names_size = headers[header[6]][4:6]
        names = bytes(elf[names_at : names_at + names_size])
        table = elf[header[4] : header[4] + header[5]]
        for name_at, info, _, section, address, size in struct.iter_unpack("<IBBHQQ", table):
            name = names[name_at : names.index(b"\0", name_at)].decode(errors="replace")
            if name == _NO_CODE:
                raise _NotUnderstood
            if name:
                in_code = section < count and bool(headers[section][2] & _EXECUTABLE)
                yield Symbol(name, address, size, info & 15, info >> 4, bool(section), in_code)


def symbols(file: Path) -> list[Symbol]:
    """All that have names. Of what only the compilers' plugins can read, without addresses."""
    content = memoryview(file.read_bytes())
    try:
        return [symbol for member in _members(content) for symbol in _symbols(member)]
    except _UNREADABLE:
        return _by_nm(file)


def _by_nm(file: Path) -> list[Symbol]:
    done = tool_process.run([tool("nm", file), "-P", file], check=True)
    lines = (line.split() for line in done.stdout.splitlines())
    return [
        Symbol(words[0], 0, 0, 0, LOCAL if words[1].islower() else GLOBAL, words[1] not in "Uwv")
        for words in lines
        if len(words) > 1 and len(words[1]) == 1  # else a word of nm's about the file
    ]


def undefined_symbols(file: Path) -> set[str]:
    return {symbol.name for symbol in symbols(file) if not symbol.defined}


def defined_symbols(file: Path) -> set[str]:
    """What an object file, or any member of an archive, defines for others to use."""
    return {symbol.name for symbol in symbols(file) if symbol.defined and symbol.binding != LOCAL}


def defined_by_runtime(archive: Path) -> frozenset[str]:
    """What the checker's runtime defines, which each check asks for several times."""
    state = archive.stat()
    return _defined_as_of(archive, state.st_ino, state.st_mtime_ns, state.st_size)


@lru_cache(maxsize=4)
def _defined_as_of(archive: Path, *_state: int) -> frozenset[str]:
    return frozenset(defined_symbols(archive))


def named_by_runtime(archive: Path) -> frozenset[str]:
    """The same, and what it uses of the C library; not what it asks of the program."""
    used = {one.name for one in symbols(archive) if not one.defined and one.binding == GLOBAL}
    return defined_by_runtime(archive) | used


def _defined_by_library(file: Path) -> set[str]:
    try:
        content = memoryview(file.read_bytes())
        return {symbol.name for symbol in _symbols(content, _DYNAMIC_SYMBOLS) if symbol.defined}
    except (*_UNREADABLE, OSError):
        return set()  # a script of the linker's


def resolved_to_nothing(
    objects: Iterable[Path], executable: Path, libraries: Iterable[Path]
) -> set[str]:
    """What the objects use by weak names and nothing that was linked defines: its address is 0."""
    used = [symbol for file in objects for symbol in symbols(file) if not symbol.defined]
    weak = {symbol.name for symbol in used if symbol.binding == WEAK}
    weak -= {symbol.name for symbol in used if symbol.binding != WEAK}
    if weak:
        weak -= defined_symbols(executable).union(*map(_defined_by_library, libraries))
    return weak


def data_in_code(file: Path) -> list[str]:
    """Variables that lie among the instructions, where their bytes can be run."""
    return [one.name for one in symbols(file) if one.kind == OBJECT and one.in_code]
