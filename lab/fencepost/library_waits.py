# SPDX-License-Identifier: MIT
"""Takes the C++ library at its word where it waits and wakes.

std::atomic::wait and its kin count their waiters in bits/atomic_wait.h, between the program's own
operation and the futex. The orders there rest on what today's processors do and not on the memory
model alone (libstdc++ 12's latch can lose a wake-up by the letter of C++20). That is the library's
affair, not the program's: unless asked to judge the library as written, the count is taken to be
fenced, so that waiting does what the standard says of it. Under x86, a model of what the compiled
code does, the runtime leaves the fences out.

Before it sleeps the library looks sixteen times. A look that changes nothing changes no outcome,
but each multiplies the executions; the header is compiled with one look instead. std::barrier and
std::latch are replaced as a whole: checker/interface/library.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

WAITING = re.compile(r'\.file\s+(\d+)\s+.*\batomic_wait\.h"')
_LOC = re.compile(r"\s*\.loc\s+(\d+)\s")
_CALL = re.compile(r"(\s*(?:call|callq|jmp|bl|b)\s+)__tsan_(atomic(?:32|64)_(?:load|fetch_add))\b")

_SPIN_COUNT = re.compile(r"(constexpr auto __atomic_spin_count = )\d+;")


def replaced_headers(
    compiler: list[str], flags: tuple[str, ...], directory: Path, own: Path
) -> list[str]:
    """The flags that put other headers in the place of some of the C++ library's: copies of those
    in `own`, so that they are not taken for the program's, and _single_look_header's."""
    library = directory / "library"
    library.mkdir(exist_ok=True)
    for header in own.iterdir():
        (library / header.name).write_text(f'#line 1 "{header}"\n{header.read_text()}')
    _single_look_header(compiler, flags, library)
    return ["-isystem", str(library)]


def _single_look_header(compiler: list[str], flags: tuple[str, ...], library: Path) -> None:
    """Makes of the compiler's own bits/atomic_wait.h one that looks once before it sleeps; none if
    it has no such header or spins in another way."""
    source = library.parent / "find-atomic-wait.cpp"
    source.write_text("#include <atomic>\n")
    command = [*compiler, "-std=c++20", *flags, "-M", str(source)]
    found = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    for word in found.stdout.split():
        if not word.endswith("/bits/atomic_wait.h"):
            continue
        text, changed = _SPIN_COUNT.subn(r"\g<1>1;", Path(word).read_text(errors="replace"))
        if changed == 1:
            header = library / "bits" / "atomic_wait.h"
            header.parent.mkdir(exist_ok=True)
            header.write_text(f'#line 1 "{word}"\n{text}')
        return


def fence_library_waits(assembly: Path) -> bool:
    """Sends the counting of waiters to the runtime's fenced operations; says if there was any."""
    lines = assembly.read_text(errors="replace").splitlines(keepends=True)
    waiting = {match.group(1) for line in lines if (match := WAITING.search(line))}
    if not waiting:
        return False
    changed = False
    inside = False
    for number, line in enumerate(lines):
        if match := _LOC.match(line):
            inside = match.group(1) in waiting
        elif inside and (match := _CALL.match(line)):
            lines[number] = _CALL.sub(r"\1fencepost_library_\2", line)
            changed = True
    if changed:
        assembly.write_text("".join(lines))
    return changed
