# SPDX-License-Identifier: MIT
"""Names the places from which a program uses its locks: function, file and line where there is
debug information (also where it is installed apart), else the function's symbol, else the distance
into the file."""

from __future__ import annotations

import os
import re
import stat
import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from fencepost.binary.elf_functions import Functions
from fencepost.binary.source_location import Frame, inline_chains, short_path
from fencepost.profile.file import LockFile, Module, Site
from fencepost.system.limited_tool import output_of

#: A lock's own interface: whoever reads wants to know who called it.
_WRAPPER = re.compile(
    r"^(std::|__gnu_cxx::|__gthread_|boost::(mutex|shared_mutex|unique_lock|lock_guard))"
    r"|^(inline_)?mysql_(mutex|rwlock|prlock|cond)_\w+$|^(inline_)?psi_\w+$"
)

#: For how many seconds places are looked up, in all: others may name any number of large files.
SECONDS = 120.0

#: No program is larger; a sparse file may claim to be.
_LARGEST = 4 << 30

_MANGLED = re.compile(r"_[RZ][\w$.]+", re.ASCII)

_OPERATOR = re.compile(r"operator(\(\)|<<=?|>>=?|<=>|<=?|>=?|->\*?)")


@dataclass(frozen=True)
class Place:
    """A call. `line` is 0, and `file` empty, where nothing tells them."""

    function: str
    file: str
    line: int
    module: str

    @property
    def where(self) -> str:
        return f"{short_path(self.file)}:{self.line}" if self.line else Path(self.module).name

    def __str__(self) -> str:
        if self.line or Path(self.module).name not in self.function:
            return f"{self.function} {self.where}".strip()
        return self.function

    def as_json(self) -> dict[str, str | int | None]:
        return {
            "function": self.function or None,
            "file": self.file or None,
            "line": self.line or None,
            "module": self.module or None,
        }


UNKNOWN = Place("unknown place", "", 0, "")


def shown_function(name: str) -> str:
    """Without parameters and template arguments, which fill a line and tell nothing apart."""
    name = re.sub(r" \[clone [^\]]*\]", "", name).replace("(anonymous namespace)::", "")
    operators: list[str] = []

    def put_aside(match: re.Match[str]) -> str:
        operators.append(match[0])
        return f"\0{len(operators) - 1}\0"

    name = _OPERATOR.sub(put_aside, name)
    kept, depth = [], 0
    for letter in name:
        depth += letter in "<("
        if depth == 0:
            kept.append(letter)
        depth -= letter in ">)" and depth > 0
    short = "".join(kept).replace(" const", "").strip().rpartition(" ")[2]
    return re.sub(r"\0(\d+)\0", lambda match: operators[int(match[1])], short)


@lru_cache(maxsize=64)
def _functions(file: Path, _changed: int) -> Functions:
    return Functions(file)


def _functions_at(file: Path, offsets: Iterable[int], seconds: float) -> dict[int, str]:
    """The functions that these are in, by the file's symbols."""
    all_of_them = _functions(file, file.stat().st_mtime_ns)
    found = {offset: name for offset in offsets if (name := all_of_them.at(offset))}
    readable = _demangled(set(found.values()), seconds)
    return {offset: readable.get(name, name) for offset, name in found.items()}


def _demangled(names: set[str], seconds: float) -> dict[str, str]:
    mangled = sorted(name for name in names if _MANGLED.fullmatch(name))
    if not mangled:
        return {}
    lines = output_of(["c++filt"], "\n".join(mangled), seconds).splitlines()
    return dict(zip(mangled, lines, strict=False))


class PlaceNames:
    """Remembers what it has found: the same program is asked about again and again. `seconds`: how
    long it may look in all."""

    def __init__(self, seconds: float | None = None) -> None:
        self._chains: dict[tuple[str, bool, int], list[Place]] = {}
        self._limit = self._left = SECONDS if seconds is None else seconds
        self._unnamed = 0

    def prepare(self, sites: Iterable[Site | None]) -> None:
        """Looks all of them up, a program of the tools for each file and not for each place."""
        wanted: dict[tuple[str, bool], tuple[Module, set[int]]] = {}
        for site in sites:
            if site is not None and site.module is not None:
                path, is_ours, offset = _key(site, site.module)
                if offset >= 0 and (path, is_ours, offset) not in self._chains:
                    wanted.setdefault((path, is_ours), (site.module, set()))[1].add(offset)
        for module, offsets in wanted.values():
            self._look_up(module, offsets)

    @property
    def left_unnamed(self) -> str:
        """How many places had no time to be looked up, in words; empty: none."""
        if not self._unnamed:
            return ""
        return (
            f"{self._unnamed} places are not named: looking up all that were used takes longer "
            f"than {self._limit:g} s"
        )

    def chain(self, site: Site | None) -> list[Place]:
        """The calls that are inlined at a place, the innermost first; at least one."""
        if site is None:
            return [UNKNOWN]
        if site.module is None:
            return [Place(f"{site.address:#x}", "", 0, "")]
        self.prepare([site])
        return self._chains.get(_key(site, site.module), [UNKNOWN])

    def calls(self, site: Site | None) -> list[Place]:
        """The same without those that are a lock's own interface, if others are left."""
        chain = self.chain(site)
        return [one for one in chain if not _is_wrapper(one)] or chain[-1:]

    def place(self, site: Site | None) -> Place:
        """The innermost that is not a lock's own interface, such as std::mutex::lock."""
        return self.calls(site)[0]

    def places(self, recorded: LockFile) -> list[Place]:
        """Those of every site of a file, by its number."""
        self.prepare(recorded.sites[1:])
        return [UNKNOWN, *(self.place(site) for site in recorded.sites[1:])]

    def _look_up(self, module: Module, offsets: set[int]) -> None:
        path = module.path
        chains: dict[int, list[Frame]] = {}
        functions: dict[int, str] = {}
        until = time.monotonic() + self._left
        with suppress(OSError, ValueError):  # it has just gone
            file = readable_file(module) if self._left > 0 else None
            if file is not None and file.stat().st_uid in (0, os.geteuid()):
                # The other half is for the symbols, where lines take too long.
                chains = inline_chains(file, offsets, seconds=self._left / 2)
            unknown = [offset for offset in offsets if not chains.get(offset)]
            if file is not None and (left := until - time.monotonic()) > 0:
                functions = _functions_at(file, unknown, left)
        self._left = max(0.0, until - time.monotonic())
        if self._left == 0:
            self._unnamed += len(offsets - {one for one in chains if chains[one]} - {*functions})
        for offset in offsets:
            frames = chains.get(offset, [])
            if (
                len(frames) > 1
                and (frames[0].function == frames[-1].function)
                and (frames[0].file != frames[-1].file)
            ):
                frames = frames[1:]  # addr2line does not know its name, and gives its caller's
            places = [
                Place(shown_function(frame.function), frame.file, frame.line, path)
                for frame in frames
            ]
            if not places:
                name = functions.get(offset)
                far = _without_a_name(path, offset)
                places = [Place(shown_function(name), "", 0, path) if name else far]
            self._chains[path, module.is_ours, offset] = places


def _key(site: Site, module: Module) -> tuple[str, bool, int]:
    """File, whether its name is to be believed, and where in it the call is."""
    return module.path, module.is_ours, site.address - module.base - 1


def _without_a_name(path: str, offset: int) -> Place:
    # One is added back: what is shown is where the call returns to.
    return Place(f"{Path(path).name}+{offset + 1:#x}", "", 0, path)


def readable_file(module: Module) -> Path | None:
    """The file, if it may be looked into. A path that another user wrote may name a device, an
    endless file, or a program that exploits an error of the tools: root's own it may be."""
    if not module.path.startswith("/"):
        return None
    try:
        path = Path(module.path) if module.is_ours else Path(os.path.realpath(module.path))
        status = path.stat()
        if not stat.S_ISREG(status.st_mode) or status.st_size > _LARGEST:
            return None
        return path if module.is_ours or _is_roots(path) else None
    except (OSError, ValueError):
        return None


def _is_roots(path: Path) -> bool:
    """Whether nobody else can put another file in its place."""
    return all(
        status.st_uid == 0 and not status.st_mode & 0o022
        for status in (part.lstat() for part in (path, *path.parents))
    )


def _is_wrapper(place: Place) -> bool:
    if _WRAPPER.search(place.function):
        return True
    return bool(place.line) and Frame(place.function, place.file, place.line).is_languages_own
