# SPDX-License-Identifier: MIT
"""Checks a patch before anyone applies it: the program is compiled from a mirror of its own files,
in which those that the patch changes are changed, and is explored with nothing overridden."""

from __future__ import annotations

import os
import shlex
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from fencepost import ROOT
from fencepost.console.input_error import UnusableInput
from fencepost.execution.schema import Exploration
from fencepost.system import tool_process
from fencepost.system.source_file import as_argument, as_bytes
from fencepost.toolchain.build_program import build_program
from fencepost.toolchain.own_headers import own_headers
from fencepost.toolchain.toolchain import Program, Toolchain
from fencepost.weaken.lattice import Value
from fencepost.weaken.sites import Key, Sites


def _mirrored(path: Path, mirror: Path) -> Path:
    return mirror / str(path.absolute()).lstrip("/")


def _mirrored_flags(flags: tuple[str, ...], mirror: Path) -> list[str]:
    """Each directory of headers with its mirror before it."""
    found: list[str] = ["-iquote", str(_mirrored(ROOT / "include", mirror))]
    words = iter(flags)
    for word in words:
        option = next((one for one in ("-I", "-iquote", "-isystem") if word.startswith(one)), None)
        if option:
            directory = word[len(option) :] or next(words, "")
            found += [option, str(_mirrored(Path(directory), mirror)), option, directory]
        else:
            found.append(word)
    return found


def _files_of(source: Path, toolchain: Toolchain, flags: list[str]) -> list[Path]:
    """The source and the headers that it includes, without the system's."""
    is_c = source.suffix == ".c"
    command = [toolchain.c_compiler if is_c else toolchain.cpp_compiler, *toolchain.target_flags]
    command += ["-std=gnu11" if is_c else "-std=c++20", "-DFENCEPOST_CHECK"]
    command += [*flags, *own_headers(flags), "-MM", as_argument(source)]
    done = tool_process.run(command)
    if done.returncode != 0:
        raise UnusableInput(f"its headers cannot be listed:\n{done.stderr.rstrip()}", str(source))
    words = shlex.split(done.stdout.replace("\\\n", " "))
    return [Path(word) for word in words[1:]]


def asks_for(
    sites: Sites, wanted: Mapping[Key, Value], number: int, program: Program, found: Exploration
) -> bool:
    """Whether the patched program's operations, as they were met, ask for the orders that are
    wanted, and the others for those that they had: of each operation for no more of each. Fewer may
    be met than before, for some are only where it fails."""
    if any(site.is_call for site in sites.all if site.key in wanted):
        return True  # a call that is gone takes the operations in it with it
    patched = Sites()
    patched.add_program(number, program.executable)
    patched.take(number, found.sites)
    before = Counter(
        (site.operation, wanted.get(site.key, site.written))
        for site in sites.all
        if site.written and not site.fixed and site.is_in(number)
    )
    after = Counter(
        (site.operation, site.written) for site in patched.all if site.written and not site.fixed
    )
    return not after - before


def build_patched(
    sources: list[Path], texts: dict[Path, str], toolchain: Toolchain, directory: Path
) -> Program:
    """The program as it will be with the new texts. Raises UnusableInput if it does not compile, or
    if a header would be found where it is unchanged."""
    mirror = directory / "mirror"
    for source in sources:
        for file in _files_of(source, toolchain, list(toolchain.flags)):
            copy = _mirrored(file, mirror)
            copy.parent.mkdir(parents=True, exist_ok=True)
            if not copy.is_symlink() and not copy.exists():
                copy.symlink_to(file.absolute())
    changed = {os.path.realpath(path) for path in texts}
    for path, text in texts.items():
        copy = _mirrored(path, mirror)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.unlink(missing_ok=True)
        copy.write_bytes(as_bytes(text))
    flags = _mirrored_flags(toolchain.flags, mirror)
    copies = [_mirrored(source, mirror) for source in sources]
    for copy in copies:
        for file in _files_of(copy, toolchain, flags):
            if os.path.realpath(file) in changed:
                raise UnusableInput("is included by a path that cannot be mirrored", str(file))
    patched = replace(toolchain, flags=tuple(flags))
    return build_program(copies, patched, directory / "patched")
