# SPDX-License-Identifier: MIT
"""The compilers and processors whose instructions are looked at, and what reads their objects."""

from __future__ import annotations

import difflib
import shutil
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from fencepost.console.input_error import UnusableInput
from fencepost.system import tool_process
from fencepost.toolchain.compile_source import C_SUFFIXES


@dataclass(frozen=True)
class Target:
    """A compiler for a processor, and what reads its objects."""

    id: str
    processor: str
    compiler: str  # gcc or clang
    command: tuple[str, ...]  # for C++
    disassemblers: tuple[str, ...]
    family: str = "x86"  # of instructions: x86, arm, riscv or ppc
    packages: tuple[str, ...] = ()  # of Debian, that bring what is missing

    @property
    def present(self) -> bool:
        return shutil.which(self.command[0]) is not None and self._disassembler() is not None

    def _disassembler(self) -> str | None:
        return next((name for name in self.disassemblers if shutil.which(name)), None)

    @property
    def disassembler(self) -> str:
        found = self._disassembler()
        if found is None:
            raise UnusableInput(f"there is no disassembler here, of {self.disassemblers}")
        return found

    @property
    def name(self) -> str:
        return f"{self.processor} {self.compiler}"

    def compiler_of(self, source: Path) -> tuple[str, ...]:
        """The command for this file: the compiler of C for C."""
        if source.suffix not in C_SUFFIXES:
            return self.command
        return (self.command[0].replace("++-", "-").replace("g++", "gcc"), *self.command[1:])

    def missing(self) -> str:
        """What to install for it, in words."""
        lacking = self.command[0] if shutil.which(self.command[0]) is None else "its objdump"
        return f"{self.name}: no {lacking} here; apt install {' '.join(self.packages)}"


_LLVM = ("llvm-objdump-14", "llvm-objdump")
_TRIPLETS = {
    "arm": "aarch64-linux-gnu",
    "riscv": "riscv64-linux-gnu",
    "ppc": "powerpc64le-linux-gnu",
}


def _pair(
    id_: str, processor: str, family: str, *flags: str, clang: tuple[str, ...] = ()
) -> tuple[Target, Target]:
    """gcc and clang for a processor; `clang` are flags that clang alone needs."""
    triplet = _TRIPLETS.get(family, "")
    prefix = f"{triplet}-" if triplet else ""
    readers = (f"{prefix}objdump", *_LLVM)
    cross = (f"g++-{triplet}",) if triplet else ("g++",)
    aimed = (f"--target={triplet}",) if triplet else ()
    gcc = (f"{prefix}g++", *flags)
    llvm = ("clang++-14", *aimed, *clang, *flags)
    reader = (f"binutils-{triplet}",) if triplet else ("binutils",)
    return (
        Target(f"{id_}-gcc", processor, "gcc", gcc, readers, family, cross),
        Target(
            f"{id_}-clang",
            processor,
            "clang",
            llvm,
            readers,
            family,
            ("clang-14", *reader, *(cross if triplet else ())),
        ),
    )


_INLINE, _OUTLINE, _LSE = "-mno-outline-atomics", "-moutline-atomics", "-march=armv8.1-a"

#: armv8.1 has read-modify-writes of one instruction (LSE), armv8 a pair and a loop; outline atomics
#: are calls of functions that ask at run time which of the two the processor has.
TARGETS = (
    *_pair("x86-64", "x86-64", "x86"),
    *_pair("aarch64", "AArch64", "arm", _INLINE),
    *_pair("aarch64-lse", "AArch64 v8.1", "arm", _INLINE, _LSE),
    *_pair("aarch64-outline", "AArch64 outline", "arm", _OUTLINE),
    *_pair("riscv64", "riscv64", "riscv", clang=("-march=rv64gc",)),
    *_pair("ppc64le", "ppc64le", "ppc"),
)


def targets_by_id(*ids: str) -> tuple[Target, ...]:
    """Those with these names, in the order of the names."""
    return tuple(target for wanted in ids for target in TARGETS if target.id == wanted)


#: What the study compares.
STUDIED = tuple(one for one in TARGETS if one.processor in ("x86-64", "AArch64", "AArch64 v8.1"))


def processors() -> list[str]:
    """The names of processors as they are asked for: those of the targets, less the compiler."""
    return list(dict.fromkeys(one.id.rpartition("-")[0] for one in TARGETS))


def chosen_targets(wanted: list[str], compiler: str | None) -> list[Target]:
    """The targets that are named, by their own name or by their processor's; all without a name."""
    found: list[Target] = []
    for name in wanted or processors():
        of_name = [one for one in TARGETS if name.lower() in (one.id, one.id.rpartition("-")[0])]
        if not of_name:
            known = [*processors(), *(one.id for one in TARGETS)]
            near = difflib.get_close_matches(name.lower(), known, n=1, cutoff=0.4)
            hint = f"; did you mean '{near[0]}'?" if near else ""
            raise UnusableInput(
                f"there is no target '{name}'{hint}\ntargets: {', '.join(processors())}, "
                "each also with -gcc or -clang behind it"
            )
        found += [one for one in of_name if compiler in (None, one.compiler)]
    if not found:
        raise UnusableInput(f"none of {', '.join(wanted)} is by {compiler}")
    return list(dict.fromkeys(found))


@cache
def version(command: str) -> str:
    """The first line of what the compiler says of itself."""
    said = tool_process.run([command, "--version"])
    return said.stdout.partition("\n")[0]
