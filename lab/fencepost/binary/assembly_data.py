# SPDX-License-Identifier: MIT
"""Data that inline assembly puts into a section of its own, such as notes and version tags: nothing
that runs."""

from __future__ import annotations

import re

_OPENS = re.compile(r'\.(?:push)?section\s+(?P<name>[^,\s]+)\s*(?:,\s*"(?P<flags>[^"]*)".*)?$')
_CLOSES = re.compile(r"\.(?:previous|popsection|text)$")
_DATA = re.compile(
    r"\.(?:byte|[248]byte|short|hword|word|long|int|quad|xword|ascii|asciz|string|zero|skip|space|dc\.a"
    r"|p?2?align|balign|weak|hidden|globl|global|size|type)(?:\s|$)|[\w.$]+:$|\.if|\.endif|\.else"
)


def data_elsewhere(inside: list[str]) -> set[int]:
    """The lines of inline assembly that describe data in a section which is not code, and those
    that lead there and back. Lines outside of inline assembly are empty."""
    found: set[int] = set()
    begun: list[int] = []
    for number, line in enumerate(inside):
        text = line.strip()
        if not begun:
            match = _OPENS.match(text)
            if match and _holds_data(match["name"], match["flags"]):
                begun = [number]
        elif _CLOSES.match(text):
            found.update(begun, {number})
            begun = []
        elif _DATA.match(text):
            begun.append(number)
        else:  # something else is to be done with it, or the statement ends elsewhere
            begun = []
    return found


def _holds_data(name: str, flags: str | None) -> bool:
    if name.startswith((".text", ".init", ".fini", ".ctors", ".dtors", ".preinit")):
        return False
    return "x" not in (flags or "")
