# SPDX-License-Identifier: MIT
"""The instructions that real compilers make of a function, with what orders memory picked out."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from fencepost.build_program import ROOT
from fencepost.input_error import UnusableInput


@dataclass(frozen=True)
class Target:
    """A compiler for a processor, and what reads its objects."""

    id: str
    processor: str
    compiler: str
    command: tuple[str, ...]
    disassemblers: tuple[str, ...]

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


_X86 = ("objdump", "llvm-objdump-14", "llvm-objdump")
_ARM = ("aarch64-linux-gnu-objdump", "llvm-objdump-14", "llvm-objdump")
_ARM_GCC = ("aarch64-linux-gnu-g++", "-mno-outline-atomics")
_ARM_CLANG = ("clang++-14", "--target=aarch64-linux-gnu", "-mno-outline-atomics")
_LSE = "-march=armv8.1-a"

#: What is compared. armv8.1 has read-modify-writes of one instruction, armv8 a pair and a loop.
TARGETS = (
    Target("x86-64-gcc", "x86-64", "gcc", ("g++",), _X86),
    Target("x86-64-clang", "x86-64", "clang", ("clang++-14",), _X86),
    Target("aarch64-gcc", "AArch64", "gcc", _ARM_GCC, _ARM),
    Target("aarch64-clang", "AArch64", "clang", _ARM_CLANG, _ARM),
    Target("aarch64-lse-gcc", "AArch64 v8.1", "gcc", (*_ARM_GCC, _LSE), _ARM),
    Target("aarch64-lse-clang", "AArch64 v8.1", "clang", (*_ARM_CLANG, _LSE), _ARM),
)

_X86_ATOMIC = re.compile(r"lock\b|xchg\s.*\(|[mls]fence\b")
_ARM_ATOMIC = re.compile(
    r"(?:ldar|ldapr|ldaxr|ldxr|ldaxp|ldxp|stlr|stlxr|stxr|stlxp|stxp)[bh]?\s"  # one order each
    r"|(?:cas|swp|ldadd|ldclr|ldeor|ldset)a?l?[bh]?\s|casp|dmb\b|dsb\b"
)
_PADDING = re.compile(r"nop[wl]?\b|data16|cs nop|xchg\s+%ax,%ax|udf\b|\.\.\.")
_SYMBOL = re.compile(r"^[0-9a-f]+ <(.*)>:$")
_LINE = re.compile(r"^\s+([0-9a-f]+):\s+(.*\S)\s*$")
_RELOCATION = re.compile(r"^\s+[0-9a-f]+:\s+R_\S+\s+(\S.*)$")
_REMARK = re.compile(r"\s+(?:#|//|;) .*$")
_ADDEND = re.compile(r"[-+]0x[0-9a-f]+$")
_CALLED = re.compile(r"\s+(?:0x)?[0-9a-f]+(?: <[^>]*>)?$")
_BRANCHED = re.compile(r"\s(?:0x)?[0-9a-f]+ <[^>]*\+(0x[0-9a-f]+)>$")
_QUALIFIED = re.compile(r"\b[\w:]+<.*>::(?=\w+\()")


@dataclass(frozen=True)
class Instruction:
    offset: int  # from the beginning of the function, as the targets of branches are
    text: str

    @property
    def atomic(self) -> bool:
        """Locked, exclusive, with acquire or release, or a fence."""
        return bool(_X86_ATOMIC.match(self.text) or _ARM_ATOMIC.match(self.text))

    @property
    def name(self) -> str:
        """The mnemonic; of a locked instruction the one behind `lock`."""
        words = self.text.split()
        return words[1] if words[0] == "lock" else words[0]


@dataclass(frozen=True)
class Listing:
    function: str
    instructions: tuple[Instruction, ...]

    @property
    def count(self) -> int:
        return len(self.instructions)

    @property
    def atomics(self) -> list[str]:
        return [one.name for one in self.instructions if one.atomic]

    def to_json(self) -> dict[str, Any]:
        return {
            "function": self.function,
            "count": self.count,
            "atomics": self.atomics,
            "instructions": [[one.offset, one.text] for one in self.instructions],
        }

    @staticmethod
    def from_json(data: dict[str, Any]) -> Listing:
        lines = data["instructions"]
        return Listing(data["function"], tuple(Instruction(at, text) for at, text in lines))


def parse_listing(output: str) -> dict[str, Listing]:
    """What objdump or llvm-objdump printed, one listing a function; padding is left out."""
    found: dict[str, list[tuple[int, str]]] = {}
    lines: list[tuple[int, str]] = []
    for line in output.splitlines():
        if symbol := _SYMBOL.match(line):
            lines = found.setdefault(symbol[1], [])
        elif relocation := _RELOCATION.match(line):
            if lines:
                at, text = lines[-1]
                callee = _QUALIFIED.sub("", _ADDEND.sub("", relocation[1]))
                lines[-1] = at, _CALLED.sub("", text) + f" {callee}"
        elif instruction := _LINE.match(line):
            text = re.sub(r"\s+", " ", _REMARK.sub("", instruction[2]))
            if not _PADDING.match(text):
                lines.append((int(instruction[1], 16), _BRANCHED.sub(r" \1", text)))
    return {
        name: Listing(name, tuple(Instruction(at - lines[0][0], text) for at, text in lines))
        for name, lines in found.items()
    }


@cache
def version(command: str) -> str:
    """The first line of what the compiler says of itself."""
    said = subprocess.run([command, "--version"], capture_output=True, text=True, check=False)
    return said.stdout.partition("\n")[0]


def disassemble(source: Path, target: Target, flags: list[str]) -> dict[str, Listing]:
    """Compiles `source` at -O2 and returns the listings of its functions, names demangled."""
    with tempfile.TemporaryDirectory(prefix="fencepost-") as directory:
        made = Path(directory) / "instructions.o"
        command = [
            *target.command,
            "-std=c++20",
            "-O2",
            "-DNDEBUG",
            "-w",
            "-I",
            str(ROOT / "include"),
        ]
        command += [*flags, "-c", str(source), "-o", str(made)]
        compiled = subprocess.run(command, capture_output=True, text=True, check=False)
        if compiled.returncode != 0:
            raise UnusableInput(f"{target.compiler} for {target.processor}:\n{compiled.stderr}")
        shown = subprocess.run(
            [target.disassembler, "-d", "-r", "-C", "--no-show-raw-insn", str(made)],
            capture_output=True,
            text=True,
            check=True,
        )
    return parse_listing(shown.stdout)
