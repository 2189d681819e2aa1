# SPDX-License-Identifier: MIT
"""Names the places from which a program uses its locks: function, file and line where there is
debug information (also where it is installed apart), else the function's symbol, else the distance
into the file."""

from __future__ import annotations

import bisect
import re
import stat
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from fencepost.lock_file import LockFile, Module, Site
from fencepost.machines import tool
from fencepost.source_location import Frame, inline_chains, short_path

#: A lock's own interface: whoever reads wants to know who called it.
_WRAPPER = re.compile(
    r"^(std::|__gnu_cxx::|__gthread_|boost::(mutex|shared_mutex|unique_lock|lock_guard))"
    r"|^(inline_)?mysql_(mutex|rwlock|prlock|cond)_\w+$|^(inline_)?psi_\w+$"
)

#: No program is larger; a sparse file may claim to be.
_LARGEST = 4 << 30

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


@dataclass(frozen=True)
class _Symbols:
    """The functions of a file, by address."""

    starts: list[int] = field(default_factory=list)
    named: list[tuple[int, str]] = field(default_factory=list)

    def at(self, address: int) -> str | None:
        n = bisect.bisect_right(self.starts, address) - 1
        if n < 0:
            return None
        size, name = self.named[n]
        return name if address < self.starts[n] + max(size, 1) else None


@lru_cache(maxsize=64)
def _symbols(path: str, _changed: int) -> _Symbols:
    """Of the table that debuggers use, and where it was stripped of the dynamic linker's."""
    found: dict[int, tuple[int, str]] = {}
    for options in (["--defined-only"], ["--defined-only", "-D"]):
        done = subprocess.run(
            [tool("nm", Path(path)), "-C", "-S", *options, "--", path],
            capture_output=True, text=True, errors="replace", check=False,
        )  # fmt: skip
        for line in done.stdout.splitlines():
            words = line.split(" ", 3)
            if len(words) == 4 and words[2] in "tTwWiuV":
                name = re.sub(r"@@?[A-Za-z_]+[0-9.]*$", "", words[3])
                found.setdefault(int(words[0], 16), (int(words[1], 16), name))
    starts = sorted(found)
    return _Symbols(starts, [found[start] for start in starts])


class PlaceNames:
    """Remembers what it has found: the same program is asked about again and again."""

    def __init__(self) -> None:
        self._chains: dict[tuple[str, int], list[Place]] = {}

    def prepare(self, sites: Iterable[Site]) -> None:
        """Looks all of them up, a program of the tools for each file and not for each place."""
        wanted: dict[str, set[int]] = {}
        for site in sites:
            if site.module is not None:
                key = (site.module.path, site.address - site.module.base - 1)
                if key in self._chains or key[1] < 0:
                    continue
                if may_be_read(site.module):
                    wanted.setdefault(key[0], set()).add(key[1])
                else:
                    self._chains[key] = [_without_a_name(*key)]
        for path, offsets in wanted.items():
            self._look_up(path, offsets)

    def chain(self, site: Site | None) -> list[Place]:
        """The calls that are inlined at a place, the innermost first; at least one."""
        if site is None:
            return [UNKNOWN]
        if site.module is None:
            return [Place(f"{site.address:#x}", "", 0, "")]
        self.prepare([site])
        offset = site.address - site.module.base - 1
        return self._chains.get((site.module.path, offset), [UNKNOWN])

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

    def _look_up(self, path: str, offsets: set[int]) -> None:
        chains: dict[int, list[Frame]] = {}
        symbols = _Symbols()
        try:
            chains = inline_chains(Path(path), offsets)
            symbols = _symbols(path, Path(path).stat().st_mtime_ns)
        except (OSError, ValueError):
            pass  # the file is gone, or never was one, such as the kernel's own code
        for offset in offsets:
            places = [
                Place(shown_function(frame.function), frame.file, frame.line, path)
                for frame in chains.get(offset, [])
            ]
            if (
                len(places) > 1
                and (places[0].function == places[-1].function)
                and (places[0].file != places[-1].file)
            ):
                del places[0]  # addr2line does not know its name, and gives its caller's
            if not places:
                name = symbols.at(offset)
                far = _without_a_name(path, offset)
                places = [Place(shown_function(name), "", 0, path) if name else far]
            self._chains[path, offset] = places


def _without_a_name(path: str, offset: int) -> Place:
    # One is added back: what is shown is where the call returns to.
    return Place(f"{Path(path).name}+{offset + 1:#x}", "", 0, path)


def may_be_read(module: Module) -> bool:
    """Whether programs may be started on this file. A path that another user wrote may be an option
    of theirs, a device or an endless file, or exploit an error of theirs."""
    if not module.path.startswith("/"):
        return False
    try:
        status = Path(module.path).stat()
    except (OSError, ValueError):
        return False
    if not stat.S_ISREG(status.st_mode) or status.st_size > _LARGEST:
        return False
    return module.is_ours or (status.st_uid == 0 and not status.st_mode & 0o022)


def _is_wrapper(place: Place) -> bool:
    if _WRAPPER.search(place.function):
        return True
    return bool(place.line) and Frame(place.function, place.file, place.line).is_languages_own
