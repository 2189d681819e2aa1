# SPDX-License-Identifier: MIT
"""The same program with its code at other places: compiled once, then assembled and linked once for
each layout. That the code is where it was meant to be is read from each executable."""

from __future__ import annotations

import random
import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from fencepost import ROOT
from fencepost.asm.subjects import bare
from fencepost.binary.object_symbols import symbols
from fencepost.console.input_error import UnusableInput
from fencepost.layout.assembly import MACHINES, MARK, Assembly, Machine, Padding, find_function
from fencepost.system import tool_process
from fencepost.system.source_file import as_argument, check_source
from fencepost.toolchain.compile_source import C_SUFFIXES, CPP_SUFFIXES


@dataclass(frozen=True)
class Program:
    """What is built: some files by some compiler. `flags` reach it as they are, after ours."""

    name: str
    sources: tuple[Path, ...]
    flags: tuple[str, ...] = ()
    compiler: str = "g++"

    def command(self, source: Path | None = None) -> list[str]:
        """Command line of the compiler for this file, or of the linker where there is none."""
        files = [source] if source else list(self.sources)
        if all(one.suffix in C_SUFFIXES for one in files):
            directory, name = self.compiler.rpartition("/")[::2]
            name = re.sub(r"(^|-)g\+\+", r"\1gcc", re.sub(r"(^|-)clang\+\+", r"\1clang", name))
            compiler = f"{directory}/{name}" if directory else name
        else:
            compiler = self.compiler
        standard = []
        if source:
            standard = ["-std=gnu17"] if source.suffix in C_SUFFIXES else ["-std=c++20"]
        return [compiler, *standard, "-O2", "-I", str(ROOT / "include"), *self.flags, "-fno-lto"]


@dataclass(frozen=True)
class Layout:
    """One way to place a program's code. Neither padding nor seed: as the compiler placed it."""

    padding: Padding | None = None
    #: Of functions in another order, each behind a padding of its own, objects in another order,
    #: and another depth of the stack.
    seed: int | None = None

    @property
    def name(self) -> str:
        """The layout's name, as the work of a result has it."""
        if self.padding:
            return f"{self.padding.at}/padding:{self.padding.size}"
        return "as_compiled" if self.seed is None else f"random/placement:{self.seed}"

    @property
    def stack(self) -> int:
        """Bytes that the environment grows by, and so the stack."""
        return (
            0 if self.seed is None else random.Random(f"stack {self.seed}").randrange(0, 4096, 16)
        )


@dataclass(frozen=True)
class Built:
    program: Program
    layout: Layout
    executable: Path
    #: Of the place that was moved, in the executable.
    address: int | None = None


@dataclass
class Builder:
    """Compiles a program into a directory, which is the caller's to remove."""

    program: Program
    directory: Path
    cycle: int = 64
    _shuffled: list[Assembly] = field(default_factory=list)

    @cached_property
    def machine(self) -> Machine:
        told = _run([self.program.command()[0], *self.program.flags, "-dumpmachine"]).stdout.strip()
        machine = MACHINES.get(told.partition("-")[0])
        if machine is None:
            raise UnusableInput(
                f"'{self.program.compiler}' compiles for {told or 'an unknown machine'}: only code "
                f"for {' and '.join(m.name for m in MACHINES.values())} can be moved"
            )
        return machine

    @cached_property
    def assemblies(self) -> list[Assembly]:
        return self._compiled([])

    @cached_property
    def names(self) -> dict[str, str]:
        """How people write the symbols of functions."""
        found = sorted({symbol for one in self.assemblies for symbol in one.functions})
        if not found or not shutil.which("c++filt"):
            return {symbol: symbol for symbol in found}
        done = tool_process.run(["c++filt"], told="\n".join(found), check=True)
        shown = done.stdout.replace("(anonymous namespace)::", "").splitlines()
        return {symbol: bare(name) for symbol, name in zip(found, shown, strict=True)}

    def prepare(self, layouts: Sequence[Layout]) -> None:
        """Compiles; then layouts may be built by several threads at once. Raises UnusableInput: it
        does not compile, there is no such function, it cannot be moved by so many bytes."""
        for function in {one.padding.function for one in layouts if one.padding}:
            find_function(self.assemblies, function, self.names)
        for one in layouts:
            if one.padding and one.padding.size % self.machine.nop:
                raise UnusableInput(
                    f"{one.padding.size} bytes cannot be padded on {self.machine.name}: the "
                    f"shortest instruction there has {self.machine.nop}"
                )
        if self.assemblies and any(one.seed is not None for one in layouts):
            self._shuffled = self._compiled(["-ffunction-sections"])

    def build(self, layout: Layout) -> Built:
        """Build one layout, after prepare(). Raises UnusableInput: no such function, it cannot be
        linked."""
        stem = self.directory / layout.name.replace("/", "-").replace(":", "-")
        stem.parent.mkdir(parents=True, exist_ok=True)
        order = list(range(len(self.program.sources)))
        if layout.seed is not None:
            lot = random.Random(f"placement {layout.seed}")
            texts = [one.shuffled(lot, self.cycle) for one in self._shuffled]
            lot.shuffle(order)
        else:
            texts = ["\n".join(one.lines) + "\n" for one in self.assemblies]
        if layout.padding:
            where, symbol = find_function(self.assemblies, layout.padding.function, self.names)
            texts[where] = self.assemblies[where].padded(replace(layout.padding, function=symbol))
        objects = [self._assembled(texts[n], n, stem) for n in order]
        executable = stem.with_suffix("")
        done = _run(
            [
                *self.program.command(),
                *map(str, objects),
                *self.program.flags,
                "-o",
                str(executable),
            ]
        )
        for one in objects:
            one.unlink()
        if done.returncode:
            names = ", ".join(map(str, self.program.sources))
            raise UnusableInput(f"cannot be linked:\n{done.stderr.rstrip()}", names)
        return Built(self.program, layout, executable, address_of(executable, MARK))

    def _compiled(self, more: Sequence[str]) -> list[Assembly]:
        self.directory.mkdir(parents=True, exist_ok=True)
        found = []
        for number, source in enumerate(self.program.sources):
            if source.suffix not in C_SUFFIXES | CPP_SUFFIXES:
                known = " ".join(sorted(C_SUFFIXES | CPP_SUFFIXES))
                raise UnusableInput(f"not a C or C++ source file (known: {known})", str(source))
            if not source.exists():
                raise UnusableInput("there is no such file", str(source))
            check_source(source)
            made = self.directory / f"{number}.s"
            done = _run(
                [*self.program.command(source), *more, "-S", as_argument(source), "-o", str(made)]
            )
            if done.returncode:
                raise UnusableInput(f"does not compile:\n{done.stderr.rstrip()}", str(source))
            found.append(Assembly(made.read_text(), self.machine))
        return found

    def _assembled(self, text: str, number: int, stem: Path) -> Path:
        source = stem.with_name(f"{stem.name}.{number}.s")
        made = source.with_suffix(".o")
        source.write_text(text)
        command = self.program.command(self.program.sources[number])
        done = _run(
            [command[0], *_machine_flags(self.program.flags), "-c", str(source), "-o", str(made)]
        )
        source.unlink()
        if done.returncode:
            raise UnusableInput(
                f"cannot be assembled with its code moved:\n{done.stderr.rstrip()}",
                str(self.program.sources[number]),
            )
        return made


def address_of(executable: Path, symbol: str) -> int | None:
    return next((one.address for one in symbols(executable) if one.name == symbol), None)


def check_moved(built: Sequence[Built]) -> None:
    """Raises UnusableInput if a place does not lie where its padding puts it."""
    padded = [one for one in built if one.layout.padding]
    if not padded:
        return
    first = padded[0]
    for one in padded:
        padding, former = one.layout.padding, first.layout.padding
        assert padding and former
        if one.address is None or first.address is None:
            raise UnusableInput(
                f"the place that is moved is not in {one.executable.name}: was {padding.function} "
                "left out by the linker, or were symbols stripped (-s)?"
            )
        moved = (one.address - first.address) % padding.cycle
        if moved != (padding.size - former.size) % padding.cycle:
            raise UnusableInput(
                f"{padding.function} cannot be moved: with {padding.size} bytes of padding in the "
                f"place of {former.size} it lies {moved} bytes further"
            )


def _machine_flags(flags: Sequence[str]) -> list[str]:
    """What the assembler needs to know."""
    return [flag for flag in flags if flag.startswith(("-m", "--target", "-Wa,"))]


def _run(command: list[str]) -> subprocess.CompletedProcess[str]:
    try:
        return tool_process.run(command)
    except OSError:
        raise UnusableInput(f"there is no compiler '{command[0]}' here") from None
