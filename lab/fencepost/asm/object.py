# SPDX-License-Identifier: MIT
"""What an object says of itself besides its instructions."""

from __future__ import annotations

from pathlib import Path

from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

_EXECUTABLE = 4  # SHF_EXECINSTR


def code_sizes(made: Path) -> list[tuple[str, int]]:
    """The sections with instructions, and how long each is."""
    with made.open("rb") as file:
        found = ELFFile(file).iter_sections()
        return [(one.name, one["sh_size"]) for one in found if one["sh_flags"] & _EXECUTABLE]


def local_labels(made: Path) -> dict[str, tuple[str, int]]:
    """Section and offset of each of the assembler's own labels that an object has kept."""
    with made.open("rb") as file:
        elf = ELFFile(file)
        tables = [one for one in elf.iter_sections() if isinstance(one, SymbolTableSection)]
        return {
            symbol.name: (elf.get_section(symbol["st_shndx"]).name, symbol["st_value"])
            for table in tables
            for symbol in table.iter_symbols()
            if symbol.name.startswith(".L") and isinstance(symbol["st_shndx"], int)
        }
