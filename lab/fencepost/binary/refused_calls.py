# SPDX-License-Identifier: MIT
"""Calls of functions that are refused, in programs that may never come to them. They go to stubs:
an execution that comes to one ends the search without a verdict, with the caller's line. What no
execution comes to has done nothing, and is no reason to refuse the rest."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from fencepost.binary.call_scan import Refused, demangle
from fencepost.binary.machines.machine import Machine
from fencepost.binary.object_symbols import CHOSEN_FUNCTION, FUNCTION, symbols
from fencepost.binary.unwatched_library import short_name

_PREFIX = "fencepost_refused."
#: The runtime's function (checker/interface/c_library/refused_calls.cpp).
_RUNTIME = "fencepost_refused_call"


def may_be_met(
    refused: Iterable[Refused], objects: Iterable[Path], executable: Path
) -> dict[str, str]:
    """What is to be said of those that may wait for an execution that comes to them, by symbol:
    functions, for a variable is used without a call, and what others than the `objects` of the
    program call is not sent to stubs. The linker knows what is a function."""
    functions = {
        symbol.name.partition("@")[0]
        for symbol in symbols(executable)
        if symbol.kind in (FUNCTION, CHOSEN_FUNCTION)
    }
    own = frozenset(objects)
    elsewhere = {one.symbol for one in refused if one.file not in own}
    return {
        one.symbol: one.said(is_call=True)
        for one in refused
        if one.symbol in functions and one.symbol not in elsewhere
    }


def stubs(said: Mapping[str, str], machine: Machine) -> str:
    """Assembly that defines them, under the names that `renames` gives them."""
    code = []
    for function, text in said.items():
        stub = _PREFIX + function
        code.append(f".globl {stub}\n.type {stub}, %function\n")
        code.append(stub_of(stub, text, machine))
    code.append('.section .note.GNU-stack,"",%progbits\n')
    return "".join(code)


def stub_of(label: str, text: str, machine: Machine) -> str:
    """Assembly that defines one: who calls it ends the search, and `text` is what is said."""
    reason = f".Lreason_{label}"
    body = machine.call_with_text.replace("TEXT", reason).replace("NAME", _RUNTIME)
    quoted = text.replace("\\", "\\\\").replace('"', '\\"')
    strings = f'.section .rodata.str1.1,"aMS",%progbits,1\n{reason}: .asciz "{quoted}"\n'
    return f"{strings}.text\n{label}:\n{body}"


def renames(functions: Iterable[str]) -> str:
    """What objcopy's --redefine-syms= reads."""
    return "".join(f"{function} {_PREFIX}{function}\n" for function in functions)


def assumption(said: Mapping[str, str]) -> str:
    """What the certificate says."""
    names = {name if one == name else short_name(one) for name, one in demangle(list(said)).items()}
    return f"no execution calls {', '.join(sorted(names))}, which would end without a verdict"
