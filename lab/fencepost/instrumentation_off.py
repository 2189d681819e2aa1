# SPDX-License-Identifier: MIT
"""Finds what switches the compiler's instrumentation off: flags, and attributes of functions.

The attributes are taken away where they are written by their own names (ATTRIBUTES). What is left,
say because the program defines a macro of that name, shows in what was compiled: gcc lists the
functions that it instruments in its dump, and clang marks them in its intermediate language.
"""

from __future__ import annotations

import re
from pathlib import Path

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
_DEFINED = re.compile(r'^define [^\n]*?@([\w.$]+|"[^"]*")\([^\n]*?\) [^\n]*?#(\d+)', re.MULTILINE)
_GROUP = re.compile(r"^attributes #(\d+) = \{([^\n]*)\}", re.MULTILINE)
_CLANGS_OWN = re.compile(r"__clang_call_terminate|(?:tsan|_GLOBAL_|__cxx_global_)[\w.]*")


def check_flags(flags: tuple[str, ...]) -> None:
    for flag in flags:
        if _SWITCHES.fullmatch(flag):
            raise UnusableInput(
                f"'{flag}' switches off the instrumentation that the checker sees by: leave it out"
            )


def _refuse(function: str, place: str | None) -> None:
    raise Unsupported(
        f"the function '{function}' is not instrumented (an attribute or a #pragma says so)", place
    )


def check_llvm_functions(text: str, source: Path) -> None:
    """Raises Unsupported at a function whose attributes do not ask for the instrumentation."""
    groups = {number for number, said in _GROUP.findall(text) if "sanitize_thread" in said.split()}
    for function, group in _DEFINED.findall(text):
        if group not in groups and not _CLANGS_OWN.fullmatch(function):
            _refuse(function, str(source))
