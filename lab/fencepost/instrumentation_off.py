# SPDX-License-Identifier: MIT
"""Finds what switches the compiler's instrumentation off: flags, and attributes of functions.

The attributes are taken away where they are written by their own names (ATTRIBUTES). What is left,
say because the program defines a macro of that name, shows in what was compiled: gcc lists the
functions that it instruments in its dump. Of clang's functions early_instrumentation.py asks.
"""

from __future__ import annotations

import re
from pathlib import Path

from fencepost.assembly_scan import labels
from fencepost.input_error import Unsupported, UnusableInput

#: For the compiler's command line: attributes that switch the instrumentation off become others
#: that mean nothing.
ATTRIBUTES = [
    "-Dno_sanitize_thread=unused",
    "-D__no_sanitize_thread__=unused",
    "-Dno_sanitize(...)=unused",
    "-D__no_sanitize__(...)=unused",
    "-Ddisable_sanitizer_instrumentation=unused",
]

_SWITCHES = re.compile(
    r"-fno-sanitize=(?:.*,)?(?:thread|all)(?:,.*)?|-fno-sanitize-thread-.*"
    r"|-fsanitize-(?:ignorelist|blacklist|system-ignorelist)=.*"
    r"|(?:-|-mllvm=-|--param=)?tsan-(?!distinguish-volatile).*"
)
_INSTRUMENTED = re.compile(r"^;; Function .*\((\S+), funcdef_no=", re.MULTILINE)
#: What the compiler makes where no function of the program's is: parts that are split off later,
#: and what adjusts `this` for a virtual call.
_MADE_LATE = re.compile(r".*\.cold(?:\.\d+)?|_ZT[hvc].*")


def check_flags(flags: tuple[str, ...]) -> None:
    for flag in flags:
        if _SWITCHES.fullmatch(flag):
            raise UnusableInput(
                f"'{flag}' switches off the instrumentation that the checker sees by: leave it out"
            )


def uninstrumented(function: str) -> str:
    return f"the function '{function}' is not instrumented (an attribute or a #pragma says so)"


def check_gnu_functions(dumps: list[Path], assembly: Path) -> None:
    """Raises Unsupported at a function that is not in gcc's dumps of what it has instrumented."""
    texts = [dump.read_text(errors="replace") for dump in dumps]
    seen = {function for text in texts for function in _INSTRUMENTED.findall(text)}
    for function, place in labels(assembly):
        if function not in seen and not _MADE_LATE.fullmatch(function):
            raise Unsupported(uninstrumented(function), place)
