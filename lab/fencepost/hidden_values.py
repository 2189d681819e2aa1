# SPDX-License-Identifier: MIT
"""Finds structs that clang passes by value straight from memory, without telling the checker.

A struct too large for registers is copied for the callee. clang first makes that copy where the
instrumentation sees it; when it optimises it may drop it and let the call itself copy ("byval" in
its intermediate language, on x86-64). That is unseen unless what is copied is a variable of the
calling function whose address goes nowhere.
"""

from __future__ import annotations

import re
from pathlib import Path

from fencepost.input_error import Unsupported

_FUNCTION = re.compile(r"^define .*?\n}", re.MULTILINE | re.DOTALL)
_PASSED = re.compile(r"byval\([^)]*\)(?: align \d+)? ([%@][\w.$]+|[^,]*)")
_MADE_FROM = re.compile(r"^\s*(%[\w.]+) = (?:bitcast|getelementptr|addrspacecast)\b")
_HARMLESS = re.compile(
    r"= (?:alloca|bitcast|getelementptr|load)\b|@llvm\.(?:lifetime|mem)|@mem(?:cpy|set|move)\(|"
    r"@__tsan_|@_ZN\w+[CD]\d\w*\(|^\s*store \S+ (?:[^%@]|%\S+, )"
)
_DEBUG = re.compile(r"!dbg !(\d+)")


def _place(text: str, line: str, source: Path) -> str | None:
    """file:line of an instruction, by the line that its debugging information gives."""
    match = _DEBUG.search(line)
    found = match and re.search(rf"^!{match.group(1)} = .*?line: (\d+)", text, re.MULTILINE)
    return f"{source}:{found.group(1)}" if found else None


def _is_own(function: str, variable: str) -> bool:
    """Whether it is a variable of this call of the function whose address goes nowhere."""
    lines = function.splitlines()
    if not any(re.match(rf"\s*{re.escape(variable)} = alloca\b", line) for line in lines):
        parameter = re.search(rf"byval\([^)]*\)(?: align \d+)? {re.escape(variable)}\b", lines[0])
        if parameter is None:
            return False
    names, todo = {variable}, [variable]
    while todo:
        name = re.compile(rf"{re.escape(todo.pop())}(?![\w.])")
        for line in lines[1:]:
            if not name.search(line):
                continue
            made = _MADE_FROM.match(line)
            if made and made.group(1) not in names:
                names.add(made.group(1))
                todo.append(made.group(1))
            if not _HARMLESS.search(line) and not re.search(
                rf"byval\([^)]*\)[^,]*{name.pattern}", line
            ):
                return False
    return True


def check_values(text: str, source: Path) -> None:
    """Raises Unsupported at the first struct that is read behind the checker's back."""
    if "byval(" not in text:
        return
    for function in _FUNCTION.findall(text):
        for line in function.splitlines()[1:]:
            if " call " not in f" {line}" and " invoke " not in f" {line}":
                continue
            for match in _PASSED.finditer(line):
                if not _is_own(function, match.group(1)):
                    raise Unsupported(
                        "clang does not announce that shared memory is read to pass it by value; "
                        "let it go by way of a local variable, or compile with -O0",
                        _place(text, line, source),
                    )
