# SPDX-License-Identifier: MIT
"""Finds what the compiler's instrumentation cannot see: inline assembly and machine instructions
that order memory or read a clock without going through an instrumented call."""

from __future__ import annotations

import re
from pathlib import Path

from fencepost.input_error import Unsupported
from fencepost.machines.machine import Machine
from fencepost.source_location import short_path

_FILE = re.compile(r'\.file\s+(\d+)\s+"([^"]*)"(?:\s+"([^"]*)")?')
_LOC = re.compile(r"\.loc\s+(\d+)\s+(\d+)")
_LABEL = re.compile(r"[\w.$]+:")  # a function may well be called lock
_MARKER = re.compile(r'(?:#|//) (\d+) "([^"]*)"')


_FUNCTION = re.compile(r"\.type\s+([\w.$]+),\s*[@%]function")


def _file_named(match: re.Match[str]) -> str:
    _, first, second = match.groups()
    return str(Path(first) / second) if second else first


def labels(assembly: Path) -> list[tuple[str, str | None]]:
    """The functions whose code is there, and their places."""
    files: dict[str, str] = {}
    functions: set[str] = set()
    found: dict[str, str | None] = {}
    last: str | None = None
    for raw in assembly.read_text(errors="replace").splitlines():
        line = raw.strip()
        if match := _FUNCTION.match(line):
            functions.add(match.group(1))
        elif match := _FILE.match(line):
            files[match.group(1)] = _file_named(match)
        elif _LABEL.fullmatch(line):
            if line[:-1] in functions:
                last = line[:-1]
                found[last] = None
        elif last is not None and (match := _LOC.match(line)):
            file = files.get(match.group(1))
            found[last] = f"{short_path(file)}:{match.group(2)}" if file else None
            last = None
    return list(found.items())


def check_assembly(assembly: Path, machine: Machine) -> None:
    """Raises Unsupported at the first instruction that the checker would be blind to."""

    def without_comment(line: str) -> str:
        return line.split(machine.comment, 1)[0].strip()

    files: dict[str, str] = {}
    place: str | None = None
    inside = False
    prefix = ""  # clang splits "rep; nop" into two lines
    for raw in assembly.read_text(errors="replace").splitlines():
        line = raw.strip()
        if line.startswith(("#APP", "//APP")):
            inside = True
        elif line.startswith(("#NO_APP", "//NO_APP")):
            inside = False
            prefix = ""
        elif match := _FILE.match(line):
            files[match.group(1)] = _file_named(match)
        elif match := _LOC.match(line):
            file = files.get(match.group(1))
            place = f"{short_path(file)}:{match.group(2)}" if file else None
        elif match := _MARKER.match(line):
            # gcc: `# 12 "file.c" 1`, or with //, opens the text of line 12, `# 0 "" 2` closes it.
            if match.group(2) and match.group(1) != "0":
                place = f"{short_path(match.group(2))}:{match.group(1)}"
        elif inside:
            text = re.sub(r"\s+", " ", f"{prefix} {without_comment(line)}").strip()
            prefix = text if text == "rep" else ""
            if not prefix and text not in machine.harmless and not _LABEL.fullmatch(text):
                raise Unsupported(f"inline assembly is not modelled: '{text}'", place)
        elif machine.unseen.match(line) and not _LABEL.match(line):
            text = re.sub(r"\s+", " ", without_comment(line))
            raise Unsupported(
                f"the instruction '{text}' is invisible to the checker "
                "(an intrinsic, or a function that is not instrumented)",
                place,
            )
