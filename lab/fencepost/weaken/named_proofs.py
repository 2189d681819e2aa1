# SPDX-License-Identifier: MIT
"""Which proofs a comment names for an order: "Proof: NAME", "Proofs: NAME, NAME[VARIANT] and NAME".

The names are read from the comment at the statement; where that names none, from the comment above
the block, function or class around it, the innermost first. `Proof: none` says that no program can
show what the order is for.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from fencepost.explore.annotated import Case
from fencepost.weaken.source_orders import masked

#: The name that stands for none.
NONE = "none"

_PROOFS = re.compile(r"\b[Pp]roofs?:\s*")
_NAME = re.compile(r"[a-z0-9_]+(?:[./][a-z0-9_]+)*(?:\[[\w+-]+\])?")
_BETWEEN = re.compile(r",?\s*\band\b\s*|,\s*")


class Comments:
    """What the comments of a text say of its lines."""

    def __init__(self, text: str) -> None:
        self._lines = text.splitlines()
        self._code = masked(text).splitlines()

    def names_at(self, line: int) -> tuple[str, ...]:
        """The proofs that are named for what stands in a line, which is counted from 1."""
        index = line - 1
        if not 0 <= index < len(self._lines):
            return ()
        while True:
            said, first = self._said_at(index)
            if names := tuple(dict.fromkeys(_names_in(said))):
                return names
            index = self._before_block(first)
            if index < 0:
                return ()

    def _said_at(self, index: int) -> tuple[str, int]:
        """The comments of the statement that a line is part of, and its first line."""
        said = [self._trailing(index)]
        first = index
        while first > 0 and not self._ends_something(first - 1):
            first -= 1
            is_comment = self._is_comment(first)
            said.insert(0, self._text(first) if is_comment else self._trailing(first))
        while first < index and self._is_comment(first):
            first += 1
        return " ".join(filter(None, said)), first

    def _before_block(self, first: int) -> int:
        """The line that opens what a statement stands in; -1 if it stands in nothing."""
        indent = self._indent(first)
        index = first - 1
        if self._code[first].lstrip().startswith("}"):
            # "} else {": what stands above the "if" is said of both.
            while index >= 0 and not (self._indent(index) == indent and self._code[index].strip()):
                index -= 1
            return index
        while index >= 0 and (
            not self._code[index].strip()
            or self._indent(index) >= indent
            or re.match(r"\s*(?:public|private|protected):", self._code[index])
        ):
            index -= 1
        return index if indent else -1

    def _is_comment(self, index: int) -> bool:
        return self._lines[index].lstrip().startswith("//")

    def _text(self, index: int) -> str:
        return self._lines[index].lstrip().lstrip("/!<").strip()

    def _trailing(self, index: int) -> str:
        _, slashes, comment = self._lines[index].partition("//")
        return comment.lstrip("/!<").strip() if slashes else ""

    def _indent(self, index: int) -> int:
        line = self._lines[index]
        return len(line) - len(line.lstrip())

    def _ends_something(self, index: int) -> bool:
        code = self._code[index].rstrip()
        if not code.strip():
            return not self._is_comment(index)
        return code.endswith((";", "{", "}", ":")) and not code.endswith("::")


def _names_in(said: str) -> Iterator[str]:
    for match in _PROOFS.finditer(said):
        place = match.end()
        while found := _NAME.match(said, place):
            yield found.group()
            between = _BETWEEN.match(said, found.end())
            if not between:
                break
            place = between.end()


class Proofs:
    """Programs, by the names that comments give them: the last parts of their paths, as in
    `event_mutex.no_lost_wakeup` or `no_lost_wakeup`, with or without a case."""

    def __init__(self, cases: Iterable[Case]) -> None:
        self._cases = list(cases)

    def called(self, name: str, header: Path) -> list[Case]:
        """Those that a comment in `header` means: in a folder called as the header is or as the one
        that it lies in, else anywhere."""
        plain, _, case = name.rstrip("]").partition("[")
        parts = plain.replace("/", ".").split(".")
        for folder in (header.stem, *reversed(header.parent.parts), ""):
            wanted = [folder, *parts] if folder else parts
            found = [one for one in self._cases if _ends_with(one.path, wanted)]
            if found:
                return [one for one in found if case in ("", one.name)]
        return []


def _ends_with(path: Path, wanted: list[str]) -> bool:
    return list(path.absolute().with_suffix("").parts[-len(wanted) :]) == wanted
