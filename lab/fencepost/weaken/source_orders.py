# SPDX-License-Identifier: MIT
"""Reads C and C++ text as far as it takes to find atomic operations and the orders written in them:
comments and strings are blanked, parentheses matched, arguments told apart."""

from __future__ import annotations

import re

ORDER = re.compile(r"(?<![\w:])(?:::)?(?:std::)?memory_order(?:_|::)(\w+)\b")

#: Of a character: u8'a'.
_PREFIX = re.compile(r"(?:^|\W)(?:u8|[uUL])$")


def masked(text: str) -> str:
    """The text with comments, preprocessor lines and what stands between quotes blanked, each
    character in place."""
    pattern = re.compile(
        r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])+'"
        r"|^[ \t]*\#(?:[^\n\\]|\\.|\\\n)*",
        re.DOTALL | re.MULTILINE,
    )

    def blank(match: re.Match[str]) -> str:
        found = match.group()
        before = text[max(match.start() - 3, 0) : match.start()]
        if found.startswith("'") and before[-1:].isalnum() and not _PREFIX.search(before):
            return found  # 1'000: a digit separator
        blanks = re.sub(r"[^\n]", " ", found)
        return found[0] + blanks[1:-1] + found[-1] if found[0] in "'\"" else blanks

    return pattern.sub(blank, text)


def closing(code: str, opening: int) -> int:
    """Where the parenthesis that is open at `opening` is closed."""
    depth = 0
    for place in range(opening, len(code)):
        depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(code[place], 0)
        if depth == 0:
            return place
    return len(code) - 1


def arguments(code: str, opening: int, end: int) -> list[tuple[int, int]]:
    """The arguments between parentheses, each from where to where."""
    found, depth, start = [], 0, opening + 1
    for place in range(opening + 1, end):
        letter = code[place]
        depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(letter, 0)
        if letter == "," and depth == 0:
            found.append((start, place))
            start = place + 1
    if code[opening + 1 : end].strip():
        found.append((start, end))
    return found
