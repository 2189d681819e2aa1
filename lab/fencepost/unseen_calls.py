# SPDX-License-Identifier: MIT
"""Calls from the program into libraries, which are not instrumented.

What a library keeps, such as the place in a stream, is not seen to change. But a loop in which it
does is not back where it was (checker/program/unseen_code.hpp). So such calls go by way of stubs
that count them, unless the function is known to change nothing but what is seen.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from fencepost.call_scan import demangle, undefined_elsewhere, unwatched_words
from fencepost.machines.machine import Machine

#: The runtime's variable.
_COUNT = "fencepost_unseen_calls"
_PREFIX = "fencepost_counted."

#: Functions of the C++ library that change nothing, or never return. What is const changes nothing.
_CHANGES_NOTHING = re.compile(
    r"^std::(?:"
    r"chrono::.*::now\(\)"
    r"|__throw_.*|terminate\(\)|rethrow_exception\(.*|uncaught_exceptions?\(\)"
    r"|_Hash_bytes\(.*|_Fnv_hash_bytes\(.*"
    r"|_Rb_tree_(?:in|de)crement\(.*|_Rb_tree_black_count\(.*"
    r"|thread::hardware_concurrency\(\)|thread::_State::~_State\(\)"
    r"|(?:_V2::)?(?:generic|system|future|iostream)_category\(\)"
    r")$"
    r"|\) const &?$"
)
#: Other symbols are variables.
_FUNCTION = re.compile(r"\)(?: const)?(?: &&?)?(?:\[abi:\w+\])?$")


def counted_functions(objects: Iterable[Path], runtime: Path) -> list[str]:
    """Those that the objects call, in libraries, and that may change what nobody sees."""
    called = sorted(undefined_elsewhere(objects, runtime))
    names = demangle([symbol for symbol in called if symbol.startswith("_Z")])
    counted = [symbol for symbol in called if symbol in unwatched_words()]
    for symbol, name in names.items():
        if _FUNCTION.search(name) and not _CHANGES_NOTHING.search(name):
            counted.append(symbol)
    return counted


def stubs(functions: Iterable[str], machine: Machine) -> str:
    """Assembly that defines them, under the names that `renames` gives them."""
    code = [".text\n"]
    for function in functions:
        stub = _PREFIX + function
        body = machine.counted_call.replace("COUNT", _COUNT).replace("NAME", function)
        code.append(f".globl {stub}\n.type {stub}, %function\n{stub}:\n{body}")
    code.append('.section .note.GNU-stack,"",%progbits\n')
    return "".join(code)


def renames(functions: Iterable[str]) -> str:
    """What objcopy's --redefine-syms= reads."""
    return "".join(f"{function} {_PREFIX}{function}\n" for function in functions)
