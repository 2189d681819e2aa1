# SPDX-License-Identifier: MIT
"""Keeps <thread> and what it includes as g++ reads it, for that is most of what compiling a small
program takes.

A precompiled header has to come first, so it is for files that begin with headers of the C++
library, <thread> among them: their order means nothing. It is made for one compiler with one set of
flags when these are used for the second time. What the compiler cannot take (a macro that the
headers ask for is defined now) it passes over by itself, and reads the headers instead.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import re
import shutil
import subprocess
import time
from pathlib import Path

#: Before <thread>, in any order.
_STANDARD = frozenset(
    """
    algorithm any array atomic barrier bit bitset cassert cerrno charconv chrono climits compare
    complex concepts condition_variable coroutine cstddef cstdint cstdio cstdlib cstring deque
    exception forward_list functional future initializer_list iomanip ios iosfwd iostream
    istream iterator latch limits list map memory memory_resource mutex new numbers numeric
    optional ostream queue random ranges ratio regex scoped_allocator semaphore set shared_mutex
    source_location span sstream stack stdexcept stop_token streambuf string string_view
    system_error tuple type_traits typeindex typeinfo unordered_map unordered_set utility
    valarray variant vector version
    """.split()  # noqa: SIM905
)
_INCLUDE = re.compile(r"#\s*include\s*<(\w+)>\s*(?://.*)?")

#: Flags that say nothing of which headers are found, and those whose folders are the same from
#: everywhere. With any other the headers are read as they are.
_UNDERSTOOD = re.compile(r"-(?:D\w|O|g|W(?![lap],)|Wl,|std=|f|m|pthread$|I/|l|L)")

#: Macros of the program's own, which mean nothing to the library's headers.
_OWN_MACRO = re.compile(r"-D[A-Za-z]")

_VARIABLES = ("CPATH", "CPLUS_INCLUDE_PATH", "GCC_EXEC_PREFIX", "COMPILER_PATH")

#: What is to be included, with its precompiled form beside it, and what that was read from.
HEADER, READ = "first.hpp", "read.json"

#: Of 50 MB each. What has been used within an hour stays; of what was asked for once nothing is
#: known after a day.
_KEPT, _HOUR, _DAY = 8, 3600.0, 86400.0


def cache_directory() -> Path | None:
    """FENCEPOST_CACHE, or a folder where caches are kept; none where that is empty."""
    if (chosen := os.environ.get("FENCEPOST_CACHE")) is not None:
        return Path(chosen).resolve() if chosen else None
    return Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "fencepost"


def begins_with_thread(source: Path) -> bool:
    """Whether <thread> is included before anything but other headers of the C++ library."""
    in_comment = False
    for line in source.read_text(errors="replace").splitlines():
        line = line.strip()
        if in_comment or line.startswith("/*"):
            _, end, after = line[0 if in_comment else 2 :].partition("*/")
            in_comment = not end
            if after:
                return False
        elif line.endswith("\\"):
            return False
        elif line and not line.startswith("//"):
            found = _INCLUDE.fullmatch(line)
            if found is None or found[1] not in _STANDARD | {"thread"}:
                return False
            if found[1] == "thread":
                return True
    return False


def prepared(
    command: list[str], flags: tuple[str, ...], first: Path, replaced: Path | None
) -> Path | None:
    """A precompiled header for this command, which includes `first` and then <thread>; None if
    there is none yet, or none can be.

    `flags` are the user's, which stand in the command, too; `replaced` is the folder of the headers
    that come before the compiler's own."""
    cache = cache_directory()
    if cache is None or not all(map(_UNDERSTOOD.match, flags)):
        return None
    words = [word for word in command if word not in flags or not _OWN_MACRO.match(word)]
    try:
        return _kept(cache, words, first, replaced)
    except OSError:
        return None  # no such folder, no space, ...: it goes without


def _kept(cache: Path, words: list[str], first: Path, replaced: Path | None) -> Path | None:
    compiler = Path(shutil.which(words[0]) or words[0]).resolve()
    brought = [first, *(sorted(replaced.rglob("*")) if replaced else ())]
    texts = [file.read_text(errors="replace") for file in brought if file.is_file()]
    surroundings = [os.environ.get(name) for name in _VARIABLES]
    said = [str(compiler), _state(compiler), words, surroundings, texts]
    folder = cache / hashlib.sha256(json.dumps(said).encode()).hexdigest()[:32]
    if _is_as_it_was_read(folder):
        os.utime(folder)
        return folder / HEADER
    cache.mkdir(parents=True, exist_ok=True)
    with folder.with_suffix(".asked").open("a") as asked:
        try:
            fcntl.flock(asked, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return None  # somebody is making it
        if not asked.tell():
            asked.write("once\n")
            return None
        shutil.rmtree(folder, ignore_errors=True)
        _make(folder, words, first, replaced)
    return folder / HEADER if _is_as_it_was_read(folder) else None


def _is_as_it_was_read(folder: Path) -> bool:
    try:
        read = json.loads((folder / READ).read_text())
    except FileNotFoundError:
        return False
    return all(_state(Path(name)) == state for name, state in read.items())


def _make(folder: Path, words: list[str], first: Path, replaced: Path | None) -> None:
    folder.mkdir()
    shutil.copy(first, folder)
    header, noted = folder / HEADER, folder / "noted.d"
    header.write_text(f'#pragma once\n#include "{first.name}"\n#include <thread>\n')
    before = []
    if replaced:
        before = ["-isystem", str(shutil.copytree(replaced, folder / "library"))]
    command = [words[0], *before, *words[1:], "-MD", "-MF", str(noted), "-x", "c++-header"]
    done = subprocess.run(
        [*command, str(header), "-o", f"{header}.gch"],
        capture_output=True,
        stdin=subprocess.DEVNULL,
    )
    if done.returncode == 0:
        names = noted.read_text().replace("\\\n", " ").partition(":")[2].split()
        states = {name: _state(Path(name)) for name in names}
        if all(states.values()):
            (folder / READ).write_text(json.dumps(states))
    _forget_the_oldest(folder.parent)


def _state(file: Path) -> list[int]:
    try:
        found = file.stat()
    except OSError:
        return []
    return [found.st_mtime_ns, found.st_size]


def _forget_the_oldest(cache: Path) -> None:
    newest_first = sorted(cache.iterdir(), key=_used, reverse=True)
    folders = [one for one in newest_first if one.is_dir()]
    for folder in folders[_KEPT:]:
        if _used(folder) < time.time() - _HOUR:
            shutil.rmtree(folder, ignore_errors=True)
    for asked in newest_first:
        if asked.suffix == ".asked" and _used(asked) < time.time() - _DAY:
            asked.unlink(missing_ok=True)


def _used(folder: Path) -> float:
    try:
        return folder.stat().st_mtime
    except OSError:
        return 0.0
