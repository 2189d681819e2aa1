# SPDX-License-Identifier: MIT
"""Which compiler makes a program that can be explored, for which processor, and where the checker
is that it is linked to."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from fencepost import ROOT
from fencepost.binary.machines import known_by, machine_of
from fencepost.binary.machines.machine import Machine
from fencepost.console.input_error import UnusableInput
from fencepost.system import tool_process
from fencepost.toolchain.compilers import compiler_of, for_c, for_cpp, told_by

_ARCHIVE = Path("checker", "libfencepost_check.a")


@dataclass(frozen=True)
class Toolchain:
    """Which compiler makes the program, and what the user adds to its command line."""

    cc: str = "gcc"
    flags: tuple[str, ...] = ()
    #: Judge the C++ library's own waiting by the orders that it is written with.
    library_as_written: bool = False
    #: What is linked as the user's own build made it: paths, or -lNAME.
    trusted: tuple[str, ...] = ()
    #: Nobody has chosen the compiler: what it refuses another one may compile.
    or_another: bool = False
    #: Judge what gcc's optimiser has left of the program's accesses.
    as_compiled: bool = False
    #: Where loops turn is announced, for they may so only so often.
    announces_turns: bool = False
    #: An instruction without a model ends an execution that comes to it, and is not refused.
    ends_at_instructions: bool = False

    @property
    def c_compiler(self) -> str:
        return self._named(for_c)

    @property
    def cpp_compiler(self) -> str:
        return self._named(for_cpp)

    def _named(self, renamed: Callable[[str], str]) -> str:
        directory, name = os.path.split(self.cc)
        name = renamed(name)
        if directory:
            return os.path.join(directory, name)  # noqa: PTH118 - a Path would lose the ./
        foreign = self._foreign
        return f"{foreign.triplet}-{name}" if foreign and re.match(r"gcc|g\+\+", name) else name

    @property
    def target_flags(self) -> list[str]:
        """What tells clang, which is one compiler for all processors, which one to compile for."""
        foreign = self._foreign
        return [f"--target={foreign.triplet}"] if foreign and self.is_clang else []

    @property
    def _foreign(self) -> Machine | None:
        """What the checker was built for, if that is another processor than this computer's: then
        plain `gcc` means the compiler of that name for that processor."""
        machine = machine_of(runtime_library())
        return machine if machine and not machine.is_here else None

    def machine(self) -> Machine:
        """What the compiler compiles for, which must be what the checker was built for, as it must
        be a compiler that the checker takes."""
        compiler_of(self.c_compiler)
        chosen = [flag for flag in self.flags if flag.startswith("--target=")]
        told = told_by(self.c_compiler, *self.target_flags, *chosen, "-dumpmachine")
        machine = known_by(told)
        if machine is None:
            raise UnusableInput(f"'{self.c_compiler}' compiles for {told}: the checker cannot")
        library = runtime_library()
        built_for = machine_of(library)
        if built_for and built_for is not machine:
            raise UnusableInput(
                f"'{self.c_compiler}' compiles for {machine.title}, but the checker in "
                f"{build_directory()} is built for {built_for.title} (FENCEPOST_BUILD_DIR names "
                "another build; the preset aarch64 makes one for AArch64)"
            )
        return machine

    @property
    def is_clang(self) -> bool:
        return compiler_of(self.c_compiler).family == "clang"

    @property
    def early_instrumentation(self) -> list[str]:
        """The command that instruments what this clang has translated, with the LLVM that it is
        made of: in Debian a library of its own."""
        clang = compiler_of(self.c_compiler)
        name = f"libLLVM-{clang.major}.so.1"
        if clang.major >= 18:
            name = f"libLLVM.so.{clang.major}.{clang.minor}"
        library = told_by(self.c_compiler, f"-print-file-name={name}")
        return [sys.executable, "-P", "-m", "fencepost.toolchain.early_instrumentation", library]

    @property
    def instrumentation_options(self) -> list[str]:
        """What the user tells LLVM's instrumentation."""
        words = " ".join(self.flags).replace("-mllvm=", "-mllvm ").split()
        return [word for before, word in pairwise(words) if before == "-mllvm" and "tsan-" in word]

    @property
    def optimises(self) -> bool:
        levels = [flag for flag in self.flags if flag.startswith("-O")]
        return not levels or levels[-1] not in ("-O0", "-Og")

    @property
    def library_flags(self) -> list[str]:
        return [flag for flag in self.flags if flag.startswith(("-l", "-L", "-Wl,"))]


@dataclass(frozen=True)
class Program:
    """An executable that is ready to be explored."""

    executable: Path
    sources: tuple[Path, ...]
    arguments: tuple[str, ...] = field(default=())
    #: What is linked to it and not seen, for the certificate.
    assumptions: tuple[str, ...] = ()
    #: Instrumented objects that were compiled elsewhere.
    compiled_elsewhere: frozenset[Path] = frozenset()


def build_directory() -> Path:
    """Where CMake built the checker: FENCEPOST_BUILD_DIR, or the release preset's. Where it is
    installed, its archive lies in the place of its sources."""
    if chosen := os.environ.get("FENCEPOST_BUILD_DIR"):
        return Path(os.path.realpath(chosen))
    return ROOT if (ROOT / _ARCHIVE).is_file() else ROOT / "build" / "release"


def runtime_library() -> Path:
    library = build_directory() / _ARCHIVE
    if not library.is_file():
        raise UnusableInput(f"the checker is not built: {library} is missing; run 'make build'")
    return library


def run_tool(
    command: list[str], told: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Runs a compiler or a tool of its kind. Raises UnusableInput where there is none."""
    own = {"PYTHONPATH": str(ROOT / "lab")}
    try:
        return tool_process.run(command, environment=os.environ | own | dict(told or {}))
    except FileNotFoundError:
        raise UnusableInput(f"there is no compiler '{command[0]}' here") from None
