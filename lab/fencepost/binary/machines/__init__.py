# SPDX-License-Identifier: MIT
"""The processors that programs can be checked for, each in a file of its own.

The checker runs inside the program that it checks, so it is built for one processor, and programs
are compiled for the same. Where that is not the processor of this computer, programs are run by
qemu's user emulation.
"""

from __future__ import annotations

import mmap
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from fencepost.binary.machines.machine import Machine

_ELF = b"\x7fELF\x02\x01"  # of 64 bits, little-endian


def machines() -> Iterator[Machine]:
    """All of them, each read when it is come to: most checks need the first alone."""
    from fencepost.binary.machines.x86_64 import X86_64

    yield X86_64
    from fencepost.binary.machines.aarch64 import AARCH64

    yield AARCH64


def known_by(triplet: str) -> Machine | None:
    """The machine that a compiler means by `aarch64-linux-gnu`."""
    processor = triplet.partition("-")[0]
    return next((machine for machine in machines() if processor in machine.names), None)


@lru_cache(maxsize=64)
def _machine_of(binary: Path, _changed: int) -> Machine | None:
    with binary.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        at = content.find(_ELF)
        number = int.from_bytes(content[at + 18 : at + 20], "little") if at >= 0 else None
    return next((machine for machine in machines() if machine.elf_number == number), None)


def machine_of(binary: Path) -> Machine | None:
    """What an object, an executable or the first member of an archive was compiled for; None where
    it is something else."""
    state = binary.stat()
    return _machine_of(binary, state.st_mtime_ns) if state.st_size else None


def tool(name: str, binary: Path) -> str:
    """The name of the binary utility (nm, objdump, ...) that can read this file."""
    machine = machine_of(binary)
    return machine.tool(name) if machine else name
