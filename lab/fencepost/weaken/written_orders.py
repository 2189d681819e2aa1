# SPDX-License-Identifier: MIT
"""The orders above relaxed that are written in a file, whether anything compiles them or not, and
the calls of functions that are fences."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from fencepost.system.source_file import source_text_of
from fencepost.toolchain.compile_source import C_SUFFIXES, CPP_SUFFIXES
from fencepost.weaken.source_orders import ORDER, closing, masked

_HEADERS = frozenset({".h", ".hh", ".hpp", ".hxx", ".h++", ".inl", ".ipp", ".tpp"})
_SUFFIXES = _HEADERS | C_SUFFIXES | CPP_SUFFIXES
_STRONG = ("consume", "acquire", "release", "acq_rel", "seq_cst")
#: What stands before an order that is compared, or is what a parameter or constant has at first.
#: What is called, looked for from its end on: a search from the front would begin at each letter.
_NAME_BACKWARDS = re.compile(r"\s*\w*")
_NOT_USED = re.compile(r"(?:[=!]=|\bcase|(?<![=!<>])=)\s*$")


@dataclass(frozen=True)
class Written:
    """What is written, and the lines of the call that it is an argument of, or that it is."""

    file: Path
    line: int
    lines: range
    what: str
    is_call: bool = False


def files_below(roots: Iterable[str]) -> list[Path]:
    """The files of C and C++ among these, and in those of them that are directories."""
    found: set[Path] = set()
    for root in map(Path, roots):
        below = root.rglob("*") if root.is_dir() else [root]
        found.update(path for path in below if path.suffix in _SUFFIXES and path.is_file())
    return sorted(found)


def orders_written(file: Path, fences: Iterable[str]) -> Iterator[Written]:
    code = masked(source_text_of(file))
    for match in ORDER.finditer(code):
        if match[1] not in _STRONG or _NOT_USED.search(code, 0, match.start()):
            continue
        start, end = _around(code, match.start())
        yield _written(file, code, match.start(), start, end, match[1])
    called = re.compile(rf"(?<![\w.>])(?:::)?(?:\w+::)*\b({'|'.join(map(re.escape, fences))})\s*\(")
    for match in called.finditer(code):
        if not _is_declared(code, match.start()):
            end = closing(code, match.end() - 1)
            found = _written(file, code, match.start(), match.start(), end, f"call of {match[1]}")
            yield replace(found, is_call=True)


def _written(file: Path, code: str, at: int, start: int, end: int, what: str) -> Written:
    lines = range(code.count("\n", 0, start) + 1, code.count("\n", 0, end) + 2)
    return Written(file, code.count("\n", 0, at) + 1, lines, what)


def _around(code: str, at: int) -> tuple[int, int]:
    """Where the call begins and ends that something is an argument of; else where its line does."""
    depth = 0
    for place in range(at - 1, -1, -1):
        depth += {")": 1, "]": 1, "(": -1, "[": -1}.get(code[place], 0)
        if depth < 0:
            name = _NAME_BACKWARDS.match(code[place - 1 :: -1] if place else "")
            return place - (name.end() if name else 0), closing(code, place)
        if depth == 0 and code[place] in ";{}":
            break
    end = code.find("\n", at)
    return at, end if end >= 0 else len(code)


def _is_declared(code: str, start: int) -> bool:
    before = code[:start].rstrip()
    is_name = re.search(r"(?:\w|[&*>])$", before)
    return bool(is_name and not re.search(r"\b(?:return|else|do)$", before))
