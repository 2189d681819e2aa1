# SPDX-License-Identifier: MIT
"""Finds structs that clang passes by value straight from memory, without telling the checker.

A struct too large for registers is copied for the callee. clang first makes that copy where the
instrumentation sees it; when it optimises it may drop it and let the call itself copy ("byval" in
its intermediate language, on x86-64). That is unseen unless what is copied is a variable of the
calling function whose address goes nowhere: not even by its constructor, if that is called.
"""

from __future__ import annotations

import re
from pathlib import Path

from fencepost.input_error import Unsupported

_FUNCTION = re.compile(r"^define [^\n]*?@([\w.$]+|\"[^\"]*\")\(.*?\n}", re.MULTILINE | re.DOTALL)
_PASSED = re.compile(r"byval\([^)]*\)(?: align \d+)? ([%@][\w.$]+|[^,]*)")
_MADE_FROM = re.compile(r"^\s*(%[\w.]+) = (?:bitcast|getelementptr|addrspacecast)\b")
_HARMLESS = re.compile(
    r"= (?:alloca|bitcast|getelementptr|load)\b|@llvm\.(?:lifetime|mem|dbg)|@mem(?:cpy|set|move)\(|"
    r"@__tsan_(?!atomic)"
)
_STORES = re.compile(r"^\s*store \S+ ([^,]+), \S+ ([%@][\w.$]+|[^,]*)")
_LOADS = re.compile(r"^\s*(%[\w.]+) = load \S+, \S+ (%[\w.]+)")
#: The first of a list of parameters or arguments: a type, attributes, its name.
_FIRST = r"\(\S+ [^%,]*(%[\w.]+)"
_MAKES = re.compile(rf"@(_ZN\w+?C\d[EI]\w*){_FIRST}(.*)\)")
_DESTROYS = re.compile(r"@_ZN\w+D\dEv\(")
_DEBUG = re.compile(r"!dbg !(\d+)")


def _place(text: str, line: str, source: Path) -> str | None:
    """file:line of an instruction, by the line that its debugging information gives."""
    match = _DEBUG.search(line)
    found = match and re.search(rf"^!{match.group(1)} = .*?line: (\d+)", text, re.MULTILINE)
    return f"{source}:{found.group(1)}" if found else None


def _is_variable(lines: list[str], name: str) -> bool:
    return any(re.match(rf"\s*{re.escape(name)} = alloca\b", line) for line in lines)


class _Functions:
    """What the functions of a file do with addresses."""

    def __init__(self, text: str) -> None:
        self.lines = {match[1]: match[0].splitlines() for match in _FUNCTION.finditer(text)}
        self._harmless: dict[str, bool] = {}

    def is_own(self, lines: list[str], variable: str) -> bool:
        """Whether it is a variable of this call of the function whose address goes nowhere."""
        parameter = rf"byval\([^)]*\)(?: align \d+)? {re.escape(variable)}\b"
        if not _is_variable(lines, variable) and not re.search(parameter, lines[0]):
            return False
        return self._goes_nowhere(lines, variable)

    def _constructor_is_harmless(self, name: str) -> bool:
        """Of one that the file does not define nothing is known."""
        if name not in self._harmless:
            lines = self.lines.get(name)
            this = lines and re.search(re.escape(name) + _FIRST, lines[0])
            self._harmless[name] = False  # of one that calls itself
            self._harmless[name] = bool(lines and this and self._goes_nowhere(lines, this[1]))
        return self._harmless[name]

    def _goes_nowhere(self, lines: list[str], variable: str) -> bool:
        names, slots, todo = {variable}, set[str](), [variable]
        while todo:
            word = todo.pop()
            name = re.compile(rf"{re.escape(word)}(?![\w.])")
            for line in lines[1:]:
                if not name.search(line):
                    continue
                made = _MADE_FROM.match(line)
                found = made.group(1) if made else None
                stored = _STORES.match(line)
                if stored and name.search(stored.group(1)):
                    # Without optimisation a parameter is kept in a variable of its own.
                    found = stored.group(2)
                    if not _is_variable(lines, found):
                        return False
                    slots.add(found)
                elif word in slots:
                    loaded = _LOADS.match(line)
                    found = loaded.group(1) if loaded else found
                    if not (loaded or stored or _HARMLESS.search(line)):
                        return False
                elif not (stored or self._is_harmless(line, name)):
                    return False
                if made and word in slots:
                    slots.add(made.group(1))
                if found is not None and found not in names:
                    names.add(found)
                    todo.append(found)
        return True

    def _is_harmless(self, line: str, name: re.Pattern[str]) -> bool:
        if re.search(rf"byval\([^)]*\)[^,]*{name.pattern}", line) or _DESTROYS.search(line):
            return True
        if makes := _MAKES.search(line):
            if name.search(makes.group(3)):
                return False
            return self._constructor_is_harmless(makes.group(1))
        return _HARMLESS.search(line) is not None


def check_values(text: str, source: Path) -> None:
    """Raises Unsupported at the first struct that is read behind the checker's back."""
    if "byval(" not in text:
        return
    functions = _Functions(text)
    for lines in functions.lines.values():
        for line in lines[1:]:
            if " call " not in f" {line}" and " invoke " not in f" {line}":
                continue
            for match in _PASSED.finditer(line):
                if not functions.is_own(lines, match.group(1)):
                    raise Unsupported(
                        "clang does not announce that shared memory is read to pass it by value; "
                        "let it go by way of a local variable, or compile with gcc",
                        _place(text, line, source),
                    )
