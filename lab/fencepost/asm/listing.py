# SPDX-License-Identifier: MIT
"""The instructions that real compilers make of a file's functions, with the lines of the source
that each is of, and what orders memory picked out."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from fencepost.asm.object import local_labels
from fencepost.asm.targets import Target
from fencepost.console.input_error import UnusableInput
from fencepost.system import tool_process
from fencepost.toolchain.compile_source import C_SUFFIXES
from fencepost.toolchain.own_headers import own_headers

_ATOMIC = re.compile(
    # x86; of xchg not the one of two registers
    r"(?:xacquire |xrelease )?(?:lock\b|xchg\w*\s(?!%\w+,%\w+\s))|[mls]fence\b"
    r"|(?:ldl?ar|ldapu?rs?|lda?x[rp]|stl?lu?r|stl?x[rp])[bhw]?\s|(?:ldap1|ldiapp|stl1|stilp)\s"
    r"|(?:casp?|swpp?|ld(?:add|clrp?|eor|setp?|[su](?:max|min)))a?l?[bh]?\s|dmb\b|dsb\b"
    r"|st(?:add|clr|eor|set|[su](?:max|min))l?[bh]?\s"
    r"|fence(?:\.tso)?(?:\s|$)|(?:lr|sc|amo\w+)\.[bhwdq]\S*\s"  # RISC-V
    r"|(?:l[bhwd]\.aq(?:rl)?|s[bhwd]\.(?:aq)?rl)\s"
    r"|(?:hw|lw)?sync\b|isync\b|l[bhwdq]arx\b|st[bhwdq]cx\."  # Power
)
_PADDING = re.compile(r"nop[wl]?\b|data16|cs nop|xchg\s+%ax,%ax|udf\b|\.\.\.|ori\s+r2,r2,0|unimp")
_SYMBOL = re.compile(r"^[0-9a-f]+ <(.*)>:$")
_SECTION = re.compile(r"^Disassembly of section (.*):$")
_LINE = re.compile(r"^\s+([0-9a-f]+):\s+(.*\S)\s*$")
_RELOCATION = re.compile(r"^\s+[0-9a-f]+:\s+(R_\S+)\s+(\S.*)$")
_FRAME = re.compile(
    r"^(?:; )?(inlined by )?(/\S.*?):(\d+)(?: \(discriminator \d+\))?(?: \((.*)\))?$"
)
_FUNCTION = re.compile(r"^(?:; )?(\S.*?)(?:\(\))?:$")
_REMARK = re.compile(r"\s+(?:#|//|;) .*$")
_ADDEND = re.compile(r"[-+]0x[0-9a-f]+$")
_CALLED = re.compile(r"\s+(?:0x)?[0-9a-f]+(?: <.*>)?$")
_BRANCHED = re.compile(r"([\s,])(?:0x)?([0-9a-f]+) <.*>$")
_CALL = re.compile(r"(?:callq?|blr?|jalr?)\s")
_JUMP = re.compile(r"(?!bl(?:rl?)?\s)(?:j(?!al)\w*|b\S*|[ct]bn?z)\s")
_QUALIFIED = re.compile(r"\b[\w:]+<.*>::(?=\w+\()")


@dataclass(frozen=True)
class Frame:
    """A line of the source, and the function that it is in."""

    file: str
    line: int
    function: str = ""

    @property
    def place(self) -> tuple[str, int]:
        """Compilers and disassemblers spell directories differently."""
        return Path(self.file).name, self.line


@dataclass(frozen=True)
class Instruction:
    offset: int  # from the beginning of the function, as the targets of branches are
    text: str
    #: Where it is from: the innermost line first, then those into which that was inlined.
    frames: tuple[Frame, ...] = ()
    target: int | None = None  # where it branches to, in this function
    #: Where it branches to elsewhere: a section or a function, and how far behind its beginning.
    away: tuple[str, int] | None = None

    @property
    def atomic(self) -> bool:
        """Locked, exclusive, with acquire or release, or a fence."""
        return bool(_ATOMIC.match(f"{self.text} "))

    @property
    def name(self) -> str:
        """The mnemonic; of a locked instruction the one behind `lock`."""
        words = self.text.split()
        return words[1] if words[0] == "lock" else words[0]


@dataclass(frozen=True)
class Listing:
    function: str
    instructions: tuple[Instruction, ...]
    symbol: str = ""  # as the linker knows it
    section: str = ""
    start: int = 0  # of the first instruction in the section
    #: Offsets that an indirect jump may go to, and those that an exception may.
    jumped: tuple[int, ...] = ()
    landings: tuple[int, ...] = ()
    ends: tuple[int, ...] = ()  # instructions, by number, behind which another part begins

    @property
    def count(self) -> int:
        return len(self.instructions)

    @property
    def atomics(self) -> list[str]:
        return [one.name for one in self.instructions if one.atomic]

    def is_tail_call(self, number: int) -> bool:
        """Whether an indirect jump of RISC-V goes to what the instruction before it names."""
        before = self.instructions[number - 1].text.split() if number else []
        register = self.instructions[number].text.split()[-1]
        return len(before) > 2 and before[0] == "auipc" and before[1].startswith(f"{register},")

    def loops(self) -> list[tuple[int, int]]:
        """From which instruction to which, by their numbers; one for each branch back."""
        number = {one.offset: at for at, one in enumerate(self.instructions)}
        back = (
            (number.get(one.target), at)
            for at, one in enumerate(self.instructions)
            if one.target is not None
        )
        return sorted({(start, at) for start, at in back if start is not None and start <= at})

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


@dataclass
class _Function:
    name: str
    symbol: str
    section: str
    lines: list[tuple[int, str, tuple[Frame, ...], int | tuple[str, int] | None]]

    def listing(self) -> Listing:
        while self.lines and self.lines[-1][1].startswith(".long"):
            self.lines.pop()  # the table behind a function of Power
        if not self.lines:
            return Listing(self.name, (), self.symbol, self.section)
        start, last = self.lines[0][0], self.lines[-1][0]
        made: list[Instruction] = []
        for at, text, frames, branch in self.lines:
            if isinstance(branch, tuple):
                made.append(Instruction(at - start, text, frames, away=branch))
                continue
            inside = branch is not None and start <= branch <= last and not _CALL.match(text)
            if made and made[-1].text == "bctr" and text.startswith((".long", "attn")):
                continue  # the table of a switch on Power
            target = branch - start if branch is not None and inside else None
            shown = text if target is None else _BRANCHED.sub(rf"\g<1>{target:#x}", text)
            made.append(Instruction(at - start, shown, frames, target))
        return Listing(self.name, tuple(made), self.symbol, self.section, start)


def parse_listings(
    output: str,
    symbols: Iterable[str] = (),
    labels: Mapping[str, tuple[str, int]] = MappingProxyType({}),
) -> list[Listing]:
    """What objdump or llvm-objdump printed, one listing a function; padding is left out. `symbols`
    are the functions' names before they were demangled, in the same order; `labels` what the
    assembler kept of its own, by section and place."""
    return [one.listing() for one in _functions(output, iter(symbols), labels)]


def parse_listing(output: str) -> dict[str, Listing]:
    """The same by the functions' names."""
    return {one.function: one for one in parse_listings(output)}


def _functions(
    output: str, symbols: Iterator[str], labels: Mapping[str, tuple[str, int]]
) -> list[_Function]:
    found: list[_Function] = []
    innermost, inside, section = Frame("", 0), "", ""
    outer: list[Frame] = []
    lines: list[tuple[int, str, tuple[Frame, ...], int | tuple[str, int] | None]] = []
    for line in output.splitlines():
        if symbol := _SYMBOL.match(line):
            if not symbol[1].startswith(".L"):  # the assembler's own labels, kept on RISC-V
                found.append(_Function(symbol[1], next(symbols, symbol[1]), section, []))
                lines, innermost, outer = found[-1].lines, Frame("", 0), []
        elif relocation := _RELOCATION.match(line):
            place = labels.get(relocation[2])
            if lines and place and place[0] != section and _JUMP.match(lines[-1][1]):
                # What is shown is where it were in this section.
                at, text, frames, _ = lines[-1]
                lines[-1] = at, _CALLED.sub("", text) + f" {place[0]}", frames, place
            elif lines and not relocation[2].startswith((".L", "*ABS*")):
                at, text, frames, _ = lines[-1]
                callee = _QUALIFIED.sub("", _ADDEND.sub("", relocation[2]))
                away = _away(relocation[1], relocation[2]) if _JUMP.match(text) else None
                lines[-1] = at, _CALLED.sub("", text) + f" {callee}", frames, away
        elif instruction := _LINE.match(line):
            text = re.sub(r"\s+", " ", _REMARK.sub("", instruction[2]))
            chain = (innermost, *outer) if innermost.line else ()
            outer = []
            if not _PADDING.match(text) and found:
                branch = _BRANCHED.search(text)
                goes = int(branch[2], 16) if branch else None
                lines.append((int(instruction[1], 16), text, chain, goes))
        elif frame := _FRAME.match(line):
            if frame[1]:
                outer.append(Frame(frame[2], int(frame[3]), frame[4] or ""))
            else:
                innermost = Frame(frame[2], int(frame[3]), inside)
        elif begun := _SECTION.match(line):
            section = begun[1]
        elif function := _FUNCTION.match(line):
            inside = function[1]
    return found


def _away(kind: str, place: str) -> tuple[str, int]:
    addend = _ADDEND.search(place)
    # On x86 a branch counts from behind its last four bytes.
    behind = 4 if kind.startswith("R_X86_64_P") else 0
    return _ADDEND.sub("", place), (int(addend[0], 16) if addend else 0) + behind


def compile_command(source: Path, target: Target, flags: list[str]) -> list[str]:
    """How `source` is compiled, but for what is to be made of it. Flags that are given come last,
    so that they can say otherwise."""
    standard = "-std=gnu17" if source.suffix in C_SUFFIXES else "-std=c++20"
    # Of DWARF 5 binutils 2.40 names wrong files.
    fixed = ["-O2", "-g", "-gdwarf-4", "-DNDEBUG", "-w"]
    chosen = [*flags, *own_headers(flags)]
    return [*target.compiler_of(source), standard, *fixed, *chosen, str(source.resolve())]


def run_compiler(command: list[str], target: Target) -> str:
    """What it printed; its complaint is that of the input."""
    done = tool_process.run(command)
    if done.returncode != 0:
        hint = ""
        if re.search(r"fatal error: .*(?:file not found|No such file)", done.stderr):
            hint = f"\n(headers for {target.processor} come with {target.packages[-1]})"
        raise UnusableInput(
            f"{target.compiler} for {target.processor}:\n{done.stderr.rstrip()}{hint}"
        )
    return done.stdout


def read_object(made: Path, target: Target, only: str = "") -> list[Listing]:
    """The functions of an object or an archive, names demangled; or the one that is asked for."""
    reader = target.disassembler
    inlined = [] if reader.startswith("llvm") else ["--inlines"]
    what = "-d" if not only else f"--disassemble={only}"
    command = [reader, what, "-r", "-l", *inlined, "--no-show-raw-insn", str(made)]
    read = tool_process.run(command)
    if read.returncode != 0:
        said = f"{target.name} made no object with instructions (-flto makes none)"
        raise UnusableInput(f"{said}: {read.stderr.strip()}")
    raw = read.stdout
    filters = ("c++filt", "llvm-cxxfilt-14", "llvm-cxxfilt")
    demangler = next((name for name in filters if shutil.which(name)), "cat")
    shown = tool_process.run([demangler], told=raw, check=True)
    named = (match[1] for match in map(_SYMBOL.match, raw.splitlines()) if match)
    labels = {} if only else local_labels(made)
    return parse_listings(
        shown.stdout, [name for name in named if not name.startswith(".L")], labels
    )


def read_library(target: Target, symbol: str) -> Listing | None:
    """A function of the compiler's own library, libgcc.a."""
    command = [*target.command, "-print-libgcc-file-name"]
    said = tool_process.run(command).stdout.strip()
    if not said or not Path(said).is_file() or target.disassembler.startswith("llvm"):
        return None
    return next((one for one in read_object(Path(said), target, symbol) if one.instructions), None)


def disassemble(source: Path, target: Target, flags: list[str]) -> dict[str, Listing]:
    """Compiles `source` at -O2 and returns the listings of its functions, names demangled."""
    with tempfile.TemporaryDirectory(prefix="fencepost-") as directory:
        made = Path(directory) / "instructions.o"
        run_compiler([*compile_command(source, target, flags), "-c", "-o", str(made)], target)
        return {one.function: one for one in read_object(made, target)}
