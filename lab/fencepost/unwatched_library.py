# SPDX-License-Identifier: MIT
"""Functions of the C++ library that a program calls and whose accesses to what they are given
nobody sees: they are compiled, and neither instrumented nor modelled. The certificate names them.

A function that is given values alone, or only changes what is the library's, is none of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from fencepost.call_scan import demangle, redefined_calls, undefined_elsewhere
from fencepost.unseen_calls import uses_stream

#: What these are given is only an address to them, or is empty, or is seen otherwise.
_NOT_LOOKED_AT = re.compile(
    r"^std::(?:"
    r"__throw_.*|_Sp_locker::.*|allocator<.*|.*condition_variable::.*"
    r"|__exception_ptr::exception_ptr::exception_ptr\(void\*\)"
    r"|rethrow_exception\(.*|get_unexpected.*|set_terminate.*"
    r"|__atomic_futex_unsigned_base::.*|thread::_M_start_thread\(.*"
    r"|_Rb_tree_.*|__detail::_List_node_base::.*|__detail::_Prime_rehash_policy::.*"
    r"|.*_category\(\)"
    r")"
    # A number that is an address, and functions.
    r"|operator<<\(void const\*\)|_M_insert<void const\*>\(void const\*\)"
    r"|operator(?:<<|>>)\(std::[\w:<>, ]*& ?\(\*\)\("
)
_TEMPLATE = re.compile(r" ?<[^<>]*>")
_STREAM_FIRST = re.compile(r"^[\w:]*(?:stream|ios|ios_base)&(?:, )?")


def _without_templates(name: str) -> str:
    for operator, word in (("operator<<", "operator_out"), ("operator>>", "operator_in")):
        name = name.replace(operator, word)
    while (shorter := _TEMPLATE.sub("", name)) != name:
        name = shorter
    return name.replace("operator_out", "operator<<").replace("operator_in", "operator>>")


def _short(name: str) -> str:
    """As a programmer writes it."""
    head = _without_templates(name).partition("(")[0].split()[-1]
    return head.replace("std::__cxx11::", "std::").replace("::basic_", "::")


def _is_unwatched(name: str) -> bool:
    if "(" not in name or _NOT_LOOKED_AT.search(name):
        return False
    parameters = _without_templates(name).partition("(")[2]
    if uses_stream(name):
        parameters = _STREAM_FIRST.sub("", parameters)
    return "*" in parameters or "&" in parameters.removesuffix(" const &").removesuffix(" &&")


#: Of the library itself, and not of a program's class.
_OF_LIBRARY = ("_ZSt", "_ZNSt", "_ZNKSt", "_ZNKRSt", "_ZNSi", "_ZNSo", "_ZNSs")


def unwatched_library_calls(objects: Iterable[Path], runtime: Path) -> list[str]:
    """Those of them that the objects call."""
    called = undefined_elsewhere(objects, runtime) - redefined_calls()
    names = demangle(sorted(symbol for symbol in called if symbol.startswith(_OF_LIBRARY)))
    return sorted({_short(name) for name in names.values() if _is_unwatched(name)})


def shares_exceptions(objects: Iterable[Path], runtime: Path) -> bool:
    """Whether an exception may reach another thread. It lies in memory of the library's."""
    return any("rethrow_exception" in name for name in undefined_elsewhere(objects, runtime))
