# SPDX-License-Identifier: MIT
"""Finds what switches the compiler's instrumentation off: flags, and attributes of functions.

gcc's plugin takes the attributes away (checker/compiler/gcc_plugin.cpp). For clang they are made
others that mean nothing, where they are written by their own names; of what is left, say because
the program defines a macro of that name, early_instrumentation.py asks.
"""

from __future__ import annotations

import re

from fencepost.input_error import UnusableInput

#: For clang's command line: attributes that switch the instrumentation off become others
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


def check_flags(flags: tuple[str, ...]) -> None:
    for flag in flags:
        if _SWITCHES.fullmatch(flag):
            raise UnusableInput(
                f"'{flag}' switches off the instrumentation that the checker sees by: leave it out"
            )


def uninstrumented(function: str) -> str:
    return f"the function '{function}' is not instrumented (an attribute or a #pragma says so)"
