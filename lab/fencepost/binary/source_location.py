# SPDX-License-Identifier: MIT
"""From an address in compiled code to the line of the user's source that it came from."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from fencepost.binary.machines import machines, tool
from fencepost.console.input_error import UnusableInput
from fencepost.system.limited_tool import output_of
from fencepost.system.source_file import source_text_of

#: Code under these directories is the language's own: a reader wants the line that called it.
SYSTEM_DIRECTORIES = (
    "/usr/include/",
    "/usr/lib/",
    "/usr/local/include/",
    "/usr/local/lib/",
)


#: Of these, where C++ libraries and compilers keep their headers; libc++'s lie in c++/v1.
_LANGUAGE = re.compile(r"/(?:c\+\+|gcc|gcc-cross|clang|llvm-\d+)/")

#: What addr2line writes: an address that it was asked about, and "12 (discriminator 3)".
_ADDRESS, _LINE = re.compile(r"0x[0-9a-f]{1,16}"), re.compile(r"[0-9]{1,9}(?![0-9])")

#: Headers that are between the program and the checker, and themselves say nothing.
CHECKERS_OWN = (
    "/fencepost/instrumentation.hpp",
    "/checker/interface/cxx_library/headers/barrier",
    "/checker/interface/cxx_library/headers/latch",
)


@lru_cache(maxsize=1)
def _cross_directories() -> tuple[str, ...]:
    """What cross compilers have of their own."""
    return tuple(f"/usr/{machine.triplet}/" for machine in machines())


@dataclass(frozen=True)
class Frame:
    """One level of inlining at an address."""

    function: str
    file: str
    line: int

    @property
    def known(self) -> bool:
        return self.line > 0 and self.file not in ("", "??")

    @property
    def is_system(self) -> bool:
        path = os.path.normpath(self.file)
        if not self.known or path.startswith(SYSTEM_DIRECTORIES) or path.endswith(CHECKERS_OWN):
            return True
        return path.startswith("/usr/") and path.startswith(_cross_directories())

    @property
    def is_languages_own(self) -> bool:
        """A header of the C or C++ library or the compiler, not just one that is installed."""
        return self.is_system and bool(_LANGUAGE.search(os.path.normpath(self.file)))

    @property
    def place(self) -> str:
        return f"{short_path(self.file)}:{self.line}"


def short_path(path: str) -> str:
    """The path as a reader would type it: relative where it lies below the current directory."""
    absolute = os.path.normpath(path)
    relative = os.path.relpath(absolute)
    return absolute if relative.startswith("..") else relative


@lru_cache(maxsize=64)
def source_lines(path: str) -> tuple[str, ...]:
    try:
        return tuple(source_text_of(Path(path)).splitlines())
    except (OSError, UnusableInput, ValueError):
        return ()


def source_text(frame: Frame) -> str:
    """The text of the frame's line, without its indentation; empty where it cannot be read."""
    lines = source_lines(frame.file)
    return lines[frame.line - 1].strip() if 0 < frame.line <= len(lines) else ""


def inline_chains(
    binary: Path,
    addresses: Iterable[int],
    section: str | None = None,
    seconds: float = math.inf,
) -> dict[int, list[Frame]]:
    """The frames of each address, innermost first. An unknown address has an empty list, and so has
    one that was not looked up within that time."""
    wanted = sorted(set(addresses))
    if not wanted:
        return {}
    command = [tool("addr2line", binary), "-a", "-f", "-C", "-i", "-e", str(binary)]
    if section:
        command += ["-j", section]
    text = "".join(f"{address:#x}\n" for address in wanted)
    told = output_of(command, text, seconds)
    chains: dict[int, list[Frame]] = {address: [] for address in wanted}
    current: list[Frame] = []
    lines = iter(told.split("\n"))
    for line in lines:
        if _ADDRESS.fullmatch(line):
            current = chains.setdefault(int(line, 16), [])
            continue
        file, _, number = next(lines, "??:0").rpartition(":")
        at = _LINE.match(number)
        frame = Frame(line, file, int(at[0]) if at else 0)
        if frame.known:
            current.append(frame)
    return chains


def users_frame(chain: list[Frame]) -> Frame | None:
    """The innermost frame that is the user's code, else the innermost of all."""
    return next((frame for frame in chain if not frame.is_system), chain[0] if chain else None)
