# SPDX-License-Identifier: MIT
"""Takes the C++ library at its word where it waits and wakes.

std::atomic::wait, std::latch and their kin count their waiters in bits/atomic_wait.h, between the
program's own operation and the futex. The orders there rest on what today's processors do and not
on the memory model alone (libstdc++ 12's latch can lose a wake-up by the letter of C++20). That is
the library's affair, not the program's: unless asked to judge the library as written, the count is
taken to be fenced, so that waiting does what the standard says of it.
"""

from __future__ import annotations

import re
from pathlib import Path

WAITING = re.compile(r'\.file\s+(\d+)\s+.*bits/atomic_wait\.h"')
_LOC = re.compile(r"\s*\.loc\s+(\d+)\s")
_CALL = re.compile(r"(\s*(?:call|callq|jmp)\s+)__tsan_(atomic(?:32|64)_(?:load|fetch_add))\b")


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
