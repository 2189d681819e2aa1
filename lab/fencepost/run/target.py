# SPDX-License-Identifier: MIT
"""Can the dynamic linker load a library ahead of the C library into this program?

It cannot where there is no dynamic linker, where it is another C library's, and where the kernel
tells it to trust nothing of the environment. Without these words such a program would run on
glibc's locks, and be measured as if it did not."""

from __future__ import annotations

import os
import shutil
import stat
from pathlib import Path

from elftools.elf.dynamic import DynamicSegment
from elftools.elf.elffile import ELFFile
from elftools.elf.segments import InterpSegment

from fencepost.console.input_error import UnusableInput

#: How the names of such runtimes begin: GCC's, and clang's.
_SANITIZERS = ("libasan.so", "libtsan.so", "libclang_rt.asan", "libclang_rt.tsan")

#: As deep as the kernel follows scripts that name scripts.
_SCRIPTS = 5


def find_program(name: str) -> Path:
    """The file that would be executed: raises UnusableInput where there is none."""
    found = shutil.which(name)
    if found is not None:
        path = Path(found)
        if not path.is_file():  # who opens a pipe waits for its other end
            raise UnusableInput(f"{path} is no file, and cannot be executed")
        return path
    if "/" not in name:
        raise UnusableInput(f"there is no program '{name}' in PATH")
    path = Path(name)
    if path.is_dir():
        raise UnusableInput(f"{name} is a directory")
    if path.exists():
        raise UnusableInput(f"{name} may not be executed by you (chmod +x?)")
    raise UnusableInput(f"there is no file {name}")


def _interpreter_of_script(path: Path) -> str | None:
    with path.open("rb") as file:
        first = file.readline(256)
    if not first.startswith(b"#!"):
        return None
    words = os.fsdecode(first[2:]).split()
    if not words:
        return None
    if Path(words[0]).name == "env":
        names = [word for word in words[1:] if not word.startswith("-") and "=" not in word]
        return names[0] if names else words[0]
    return words[0]


def executable_of(program: Path) -> Path:
    """The program itself, or what executes the script that it is."""
    for _ in range(_SCRIPTS):
        try:
            interpreter = _interpreter_of_script(program)
        except OSError as trouble:
            raise UnusableInput(f"{program} cannot be read: {trouble.strerror}") from None
        if interpreter is None:
            return program
        program = find_program(interpreter)
    raise UnusableInput(f"{program}: too many scripts that are executed by scripts")


def _machine_and_interpreters(path: Path) -> tuple[str, list[str]]:
    """Raises UnusableInput."""
    try:
        with path.open("rb") as file:
            elf = ELFFile(file)
            interpreters = [
                str(segment.get_interp_name())
                for segment in elf.iter_segments()
                if isinstance(segment, InterpSegment)
            ]
            return str(elf["e_machine"]), interpreters
    # Of a spoiled file the reader raises whatever its parts raise.
    except Exception as trouble:
        said = str(trouble) or type(trouble).__name__
        raise UnusableInput(f"{path} is no program that can be looked into: {said}") from None


def _refuse_privileged(executable: Path) -> None:
    mode = executable.stat()
    changes = []
    if mode.st_mode & stat.S_ISUID and mode.st_uid != os.geteuid():
        changes.append("setuid")
    if mode.st_mode & stat.S_ISGID and mode.st_gid != os.getegid():
        changes.append("setgid")
    if os.geteuid() != 0:
        try:
            os.getxattr(executable, "security.capability")
            changes.append("given capabilities")
        except OSError:
            pass
    if changes:
        raise UnusableInput(
            f"{executable} is {' and '.join(changes)}: into such a program the dynamic linker "
            "loads nothing from outside. Run it as the user that it becomes, or a copy of it."
        )


def refuse_what_cannot_be(executable: Path, library: Path) -> None:
    """Raises UnusableInput, with the reason, where `library` would not be loaded or not be used."""
    machine, interpreters = _machine_and_interpreters(executable)
    ours, _ = _machine_and_interpreters(library)
    if machine != ours:
        raise UnusableInput(
            f"{executable} is for {machine.removeprefix('EM_')}, the locks here are built for "
            f"{ours.removeprefix('EM_')}"
        )
    if not interpreters:
        raise UnusableInput(
            f"{executable} is linked statically: its locks are inside it, and nothing can take "
            "their place. Link it dynamically, or build it with the library's own locks."
        )
    if "musl" in interpreters[0]:
        raise UnusableInput(
            f"{executable} uses musl ({interpreters[0]}): its locks lie differently in memory "
            "from glibc's, which these take the place of."
        )
    _refuse_privileged(executable)


def sanitizers_of(executable: Path) -> list[str]:
    """The runtimes of sanitizers that it is linked to, which demand to be loaded first of all. The
    executable can be looked into."""
    with executable.open("rb") as file:
        needed = [
            str(vars(tag)["needed"])
            for segment in ELFFile(file).iter_segments()
            if isinstance(segment, DynamicSegment)
            for tag in segment.iter_tags("DT_NEEDED")
        ]
    return [name for name in needed if name.startswith(_SANITIZERS)]
