# SPDX-License-Identifier: MIT
"""What is linked to a program without having been compiled by the checker: objects and archives of
the user's own build.

Their threads, locks, futexes and allocations go through functions that the checker models, and are
seen. What they do to memory is not. So none is linked unless it is named with `--trust`, and then
the certificate names it. What is linked is read from the linker's own list, whatever it was that
brought a file in. Calls of functions that are not modelled and instructions that ask the world
outside memory are refused there as in the program's own code.

Where such code is linked, the runtime watches all memory for changes: an iteration of a loop in
which it wrote something is not one that changed nothing (checker/execution/loops/unseen_code.hpp).
"""

from __future__ import annotations

import os
import re
import shutil
from dataclasses import dataclass
from pathlib import Path

from fencepost.binary.machines import machine_of, tool
from fencepost.binary.machines.machine import Machine
from fencepost.binary.object_symbols import undefined_symbols
from fencepost.binary.source_location import inline_chains, short_path, users_frame
from fencepost.console.input_error import Unsupported, UnusableInput
from fencepost.system import tool_process

#: Tells the runtime that there is such code.
_UNSEEN = "-Wl,--defsym=fencepost_unseen_code=1"

#: What compilers link to every program; the checker knows what of it matters.
_COMPILERS_OWN = re.compile(
    r"(?:[gM]?crt\w+|ld-linux[-\w]*|linux-vdso|lib(?:c|m|mvec|pthread|dl|rt|stdc\+\+|gcc|gcc_eh|gcc_s"
    r"|c_nonshared|pthread_nonshared))\.(?:o|a|so(?:\.[\d.]+)?)"
)
_SYSTEM = ("/lib", "/usr/")

_MEMBER = re.compile(r"\((.+)\)([^()]+)")
_INSTRUCTION = re.compile(r"^\s+([0-9a-f]+):\t(.+)$")
_SECTION = re.compile(r"^Disassembly of section (.+):$")

#: How object files and archives begin.
_ELF = b"\x7fELF"
_THIN = b"!<thin>\n"
_ARCHIVE = (b"!<arch>\n", _THIN)


@dataclass(frozen=True)
class _Linked:
    """One file that the linker took code from; of an archive, one member."""

    file: Path
    member: str = ""

    @property
    def title(self) -> str:
        name = short_path(str(self.file))
        return f"{name}({self.member})" if self.member else name


def _beginning(file: Path) -> bytes:
    with file.open("rb") as opened:
        return opened.read(18)


def is_compiled(file: Path) -> bool:
    """Is it an object file, an archive or a shared library?"""
    return file.is_file() and _beginning(file).startswith((_ELF, *_ARCHIVE))


def _is_shared(file: Path) -> bool:
    head = _beginning(file)
    return head.startswith(_ELF) and head[16:18] == b"\3\0"


def _is_archive(file: Path) -> bool:
    return _beginning(file).startswith(_ARCHIVE)


def link_words(trusted: tuple[str, ...]) -> list[str]:
    """What the linker is told of the files that were named with `--trust`: paths, or -lNAME."""
    words = [_UNSEEN] if trusted else []
    for given in trusted:
        if given.startswith("-l"):
            words.append(given)
            continue
        file = Path(given)
        if not file.is_file():
            raise UnusableInput("there is no such file to be linked", given)
        if not is_compiled(file):
            raise UnusableInput(
                "is no object file and no archive, which is what --trust links", given
            )
        words.append(str(file.resolve()))
    # Archives may need each other.
    return ["-Wl,--start-group", *words, "-Wl,--end-group"] if words else []


def _is_named(file: Path, trusted: tuple[str, ...]) -> bool:
    for given in trusted:
        if given.startswith("-l"):
            if file.name == f"lib{given[2:]}.a":
                return True
        elif file.resolve() in _contents(Path(given)):
            return True
    return False


def _contents(named: Path) -> set[Path]:
    """The file itself, or the files that a thin archive refers to."""
    if not _beginning(named).startswith(_THIN):
        return {named.resolve()}
    listed = tool_process.run([tool("ar", named), "t", named], check=True)
    return {(named.parent / line).resolve() for line in listed.stdout.splitlines()}


def _is_compilers_own(file: Path) -> bool:
    path = os.path.normpath(file)
    return path.startswith(_SYSTEM) and bool(_COMPILERS_OWN.fullmatch(file.name))


def _linked(said: str, own: set[Path]) -> list[_Linked]:
    """What the linker took, by its own list (-t -t), without what we made and compilers bring."""
    found: dict[_Linked, None] = {}
    for line in said.splitlines():
        member = _MEMBER.fullmatch(line)
        file = Path(member.group(1) if member else line)
        if file in own:
            continue
        if not file.is_file():
            raise Unsupported(
                f"the linker takes '{line}', which cannot be looked at (of -flto? compile without)"
            )
        if file.resolve() in own or _is_compilers_own(file):
            continue
        # Of an archive what counts is what is taken from it. What is neither that nor an object is
        # a linker's script, whose files follow.
        if member or (is_compiled(file) and not _is_archive(file)):
            found[_Linked(file, member.group(2) if member else "")] = None
    return list(found)


@dataclass(frozen=True)
class LinkedCode:
    """What of the user's build is in the program, after `--trust`."""

    #: Object files to be searched for calls, and what to call them.
    objects: dict[Path, str]
    #: For the certificate.
    assumptions: tuple[str, ...]
    #: Of these some calls announce atomic operations.
    instrumented: frozenset[Path]


def linked_code(
    said: str,
    own: set[Path],
    trusted: tuple[str, ...],
    machine: Machine,
    directory: Path,
) -> LinkedCode:
    """Raises Unsupported if anything is linked that was not named, or does what is not modelled
    whoever vouches for it."""
    linked = _linked(said, own)
    for one in linked:
        if _is_shared(one.file):
            raise Unsupported(
                f"{one.title} is a shared library, whose variables cannot be put back before each "
                "execution: link its archive or its objects"
            )
    objects: dict[Path, str] = {}
    atomics: dict[Path, int] = {}
    instrumented = set()
    for number, one in enumerate(linked):
        for file in _files(one, directory / f"linked-{number}"):
            objects[file] = one.title
            count, first = _search(file, one, machine)
            if not _is_named(one.file, trusted):
                seen = f", {count} of them atomic (first {first})" if count else ""
                raise Unsupported(
                    f"{one.title} is linked to the program as it is, and its accesses to memory "
                    f"would be invisible{seen}: add its source with --link, or take it on trust "
                    f"with --trust={short_path(str(one.file))}, which the certificate will say"
                )
            atomics[one.file] = atomics.get(one.file, 0) + count
            if any(name.startswith("__tsan_") for name in undefined_symbols(file)):
                instrumented.add(one.file)
    return LinkedCode(
        objects,
        tuple(
            _assumption(
                file, [one.member for one in linked if one.file == file], count, instrumented
            )
            for file, count in atomics.items()
        ),
        frozenset(instrumented),
    )


def _assumption(file: Path, members: list[str], atomics: int, instrumented: set[Path]) -> str:
    name = short_path(str(file))
    of = f" ({', '.join(members)})" if any(members) else ""
    if file in instrumented:
        return (
            f"{name}{of} was compiled elsewhere: what of its accesses its instrumentation does not "
            "announce races with nothing"
        )
    said = f"{atomics} of its instructions are" if atomics > 1 else "one of its instructions is"
    counted = f"; {said} atomic" if atomics else ""
    return (
        f"{name}{of} is taken on trust: what it does to memory is not seen; it races with nothing, "
        f"and between two calls that are seen it happens at once{counted}"
    )


def _files(one: _Linked, directory: Path) -> list[Path]:
    """The object files of it: an archive's member is taken out, under its name."""
    if not one.member:
        return [one.file]
    directory.mkdir(exist_ok=True)  # another compiler may have been tried before
    archive, ar = str(one.file.resolve()), tool("ar", one.file)
    listed = tool_process.run([ar, "t", archive], check=True)
    members = listed.stdout.splitlines()
    name = one.member
    found = []
    for instance in range(1, members.count(name) + 1):  # names may come again
        words = [ar, "xN", str(instance), archive, name]
        tool_process.run(words, directory=directory, check=True)
        found.append(directory / f"{instance}-{Path(name).name}")
        shutil.move(directory / Path(name).name, found[-1])
    return found


def _search(file: Path, one: _Linked, machine: Machine) -> tuple[int, str]:
    """How many instructions are atomic accesses or fences, and where the first is."""
    done = tool_process.run([tool("objdump", file), "-d", "--no-show-raw-insn", file], check=True)
    if machine_of(file) is not machine:
        raise UnusableInput(f"is not for {machine.title}", one.title)

    def place(address: int, section: str) -> str:
        frame = users_frame(inline_chains(file, [address], section)[address])
        return frame.place if frame else one.title

    section, count, first = ".text", 0, ""
    for line in done.stdout.splitlines():
        if match := _SECTION.match(line):
            section = match.group(1)
        elif match := _INSTRUCTION.match(line):
            text = re.sub(r"\s+", " ", match.group(2)).strip()
            if machine.asks_outside.match(text):
                raise Unsupported(
                    f"the instruction '{text}' asks the world outside memory",
                    place(int(match.group(1), 16), section),
                )
            if machine.unseen.match(text):
                count += 1
                first = first or f"'{text}' at {place(int(match.group(1), 16), section)}"
    return count, first
