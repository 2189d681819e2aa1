# SPDX-License-Identifier: MIT
"""Calls from the program into libraries, which are not instrumented.

What a library keeps, such as the place in a stream, is not seen to change. But a loop in which it
does is not back where it was (checker/execution/loops/unseen_code.hpp). So such calls go by way of
stubs that count them, unless the function is known to change nothing but what is seen. Of a
stream's functions the stub notes the stream, too: whoever calls one uses the stream, and two
threads that do so with nothing between them race.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from fencepost.binary.call_scan import (
    demangle,
    redefined_calls,
    undefined_elsewhere,
    unwatched_words,
)
from fencepost.binary.machines.machine import Machine

#: The runtime's variables.
_COUNT, _CALLS = "fencepost_unseen_calls", "fencepost_noted_calls"
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
    r"|\) const(?: &)?$"
)
#: Other symbols are variables.
_FUNCTION = re.compile(r"\)(?: const)?(?: &&?)?(?:\[abi:\w+\])?$")


_STREAM = (
    r"std::(?:__cxx11::)?(?:basic_)?(?:i|o|io)?(?:stream|stringstream|strstream)&?"
    r"|std::(?:__cxx11::)?(?:basic_)?(?:string|stream|strstream)buf&?"
    r"|std::(?:basic_ios|ios_base)&?"
)
#: A member of a stream. Not what all of them share, and no destructor: what ends with the process
#: has ended before it is called.
_MEMBER = re.compile(rf"(?:{_STREAM})::(?!Init\b|xalloc\b|sync_with_stdio\b|~)[^:]*")
_FIRST_PARAMETER = re.compile(rf"(?:{_STREAM})[,)]")
_OPERATORS = {
    "operator<<": "operator_out",
    "operator>>": "operator_in",
    "operator()": "operator_call",
}
_TEMPLATE = re.compile(r" ?<[^<>]*>")


#: What is added to the address of what a call uses (checker/execution/loops/unseen_code.hpp).
_READ, _WHOLE_STREAM, _STATE = 1, 2, 4


def _used_part(name: str) -> int | None:
    """Return the part of a stream that a function uses: all, its state (`std::ios`) or buffer
    (0). Such a function is a member of a stream, or its first parameter is one. None: it uses no
    stream."""
    for operator, word in _OPERATORS.items():
        name = name.replace(operator, word)
    while (shorter := _TEMPLATE.sub("", name)) != name:
        name = shorter
    head, _, parameters = name.partition("(")
    function = head.split()[-1] if head.split() else ""
    found = _MEMBER.fullmatch(function) or _FIRST_PARAMETER.match(parameters)
    if not found:
        return None
    used = re.split(r"::(?=[^:]*$)|[,)]", found[0])[0]
    if "buf" in used:
        return 0
    return _STATE if "ios" in used else _WHOLE_STREAM


def uses_stream(name: str) -> bool:
    return _used_part(name) is not None


#: What is returned lies where the first argument says, and the object is the second.
_RETURNS_OBJECT = re.compile(r"::(?:str\(\)(?: const)?(?: &&?)?|imbue\(std::locale const&\))$")


def _may_change(name: str) -> bool:
    return bool(_FUNCTION.search(name)) and not _CHANGES_NOTHING.search(name)


def counted_functions(objects: Iterable[Path], runtime: Path) -> dict[str, str]:
    """Those that the objects call, in libraries, and that may change what nobody sees or use a
    stream; with their readable names."""
    called = sorted(undefined_elsewhere(objects, runtime))
    names = demangle([symbol for symbol in called if symbol.startswith("_Z")])
    counted = {symbol: symbol for symbol in called if symbol in unwatched_words()}
    for symbol, name in names.items():
        if symbol in redefined_calls():
            continue
        if _may_change(name) or (_FUNCTION.search(name) and uses_stream(name)):
            counted[symbol] = name
    return counted


def stubs(functions: Mapping[str, str], machine: Machine) -> str:
    """Assembly that defines them, under the names that `renames` gives them."""
    code = [".text\n"]
    for function, name in functions.items():
        stub = _PREFIX + function
        keeps = machine.keeps_nothing
        if (part := _used_part(name)) is not None:
            returns_object = bool(_RETURNS_OBJECT.search(name))
            keeps = machine.keeps(returns_object, part + (0 if _may_change(name) else _READ))
        body = machine.counted_call.replace("KEEP", keeps).replace("COUNT", _COUNT)
        body = body.replace("CALLS", _CALLS).replace("NAME", function)
        code.append(f".globl {stub}\n.type {stub}, %function\n{stub}:\n{body}")
    code.append('.section .note.GNU-stack,"",%progbits\n')
    return "".join(code)


def renames(functions: Iterable[str]) -> str:
    """What objcopy's --redefine-syms= reads."""
    return "".join(f"{function} {_PREFIX}{function}\n" for function in functions)
