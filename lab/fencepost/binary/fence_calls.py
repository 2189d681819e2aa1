# SPDX-License-Identifier: MIT
"""Functions that are fences: where they are called.

A fence may be a function with a system call in it, or one that is this on one machine and that on
another. What a user decides on is whether to call it, so every call of it is a site of its own: all
that was compiled from the call, inlined or not, is told to order nothing. Known are the asymmetric
fences of P1202; others have to be named.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path

from fencepost.binary.call_places import Place, is_atomic
from fencepost.binary.machines import tool
from fencepost.system import tool_process

#: Names, without what qualifies them, that are known to be those of fences.
ASYMMETRIC = tuple(
    f"{between}asymmetric_thread_fence_{side}"
    for between in ("", "interprocess_")
    for side in ("light", "heavy")
)


def calls_in_fences(executable: Path, calls: dict[int, str], names: Iterable[str]) -> set[int]:
    """Which of the calls (by the address that they return to, with the symbol that they call) are
    of a fence that is a function, or in one that was inlined."""
    wanted = set(names)
    text = executable.read_bytes()
    if not any(name.encode() in text for name in wanted):
        return set()
    direct = {pc for pc, called in calls.items() if _named(called, wanted)}
    inlined = {address + 1 for address in _inside(executable, {pc - 1 for pc in calls}, wanted)}
    return {pc for pc in direct | inlined if not _is_silent(calls[pc])}


def fences_around(
    called: str, chain: list[Place], names: Iterable[str]
) -> Iterator[tuple[str, Place]]:
    """The fences that a call in such a place belongs to: the function's name and where that was
    called, the innermost first."""
    wanted = set(names)
    if chain and (name := _named(called, wanted)):
        yield name, chain[0]
    for place, caller in pairwise(chain):
        if place.function in wanted:
            yield place.function, caller


def _named(symbol: str, wanted: set[str]) -> str:
    """Which function a symbol is: a plain one of C, or of C++ with its length before it."""
    for name in wanted:
        if symbol == name or re.search(rf"(?<!\d){len(name)}{name}", symbol):
            return name
    return ""


def _inside(executable: Path, addresses: set[int], wanted: set[str]) -> set[int]:
    """Those of the addresses that lie in one of the functions, as it was inlined somewhere. The
    names alone come quickly, for the thousands of calls that there are."""
    command = [tool("addr2line", executable), "-a", "-f", "-i", "-C", "-e", str(executable)]
    given = "".join(f"{address:#x}\n" for address in sorted(addresses))
    done = tool_process.run(command, told=given, check=True)
    found: set[int] = set()
    current = 0
    for line in done.stdout.splitlines():
        if line.startswith("0x"):
            current = int(line, 16)
        elif (match := _FUNCTION.search(line)) and match[1] in wanted:
            found.add(current)
    return found


#: A demangled function's own name; one without arguments, as in C, is the whole line.
_FUNCTION = re.compile(r"(?:^|[\s:])(\w+)(?:<.*>)?(?:\(.*)?$")


def _is_silent(called: str) -> bool:
    """Whether a call inside of a fence is none that could order anything."""
    return called.startswith("__tsan_") and not is_atomic(called)
