# SPDX-License-Identifier: MIT
"""Functions of the C++ library that a program calls and whose accesses to what they are given
nobody sees: they are compiled, and neither instrumented nor modelled. The certificate names them.

A function that is given values alone, or only changes what is the library's, is none of them.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from pathlib import Path

from fencepost.binary.call_scan import demangle, redefined_calls, undefined_elsewhere
from fencepost.binary.object_symbols import symbols, undefined_symbols
from fencepost.binary.unseen_calls import uses_stream

#: What these are given is only an address to them, or is empty, or is seen otherwise.
_NOT_LOOKED_AT = re.compile(
    r"^std::(?:"
    r"__throw_.*|_Sp_locker::.*|allocator<.*|.*condition_variable::.*"
    r"|__exception_ptr::exception_ptr::exception_ptr\(void\*\)"
    r"|rethrow_exception\(.*|get_unexpected.*|set_terminate.*"
    r"|__atomic_futex_unsigned_base::.*|thread::_M_start_thread\(.*"
    r"|_Rb_tree_.*|__detail::_List_node_base::.*|__detail::_Prime_rehash_policy::.*"
    r"|.*_category\(\)|filesystem::(?:__cxx11::)?path::_List::.*"
    r")"
    # A number that is an address, and functions.
    r"|operator<<\(void const\*\)|_M_insert<void const\*>\(void const\*\)"
    r"|operator(?:<<|>>)\(std::[\w:<>, ]*& ?\(\*\)\("
)
#: Functions that are no member of an object, or of one whose state is seen, or counted atomically.
_CHANGES_NO_OBJECT = re.compile(
    r"^std::(?:"
    r"(?:pmr|this_thread|__detail|_V2|__exception_ptr|chrono(?:::_V2)?)::\w+\("
    r"|chrono::.*::now\(|thread::|__exception_ptr::exception_ptr::_M_(?:addref|release)\("
    r"|locale::classic\(|_Sp_locker::|__future_base::"
    r")"
)
#: Their constructors and destructors tell that the object is used.
_USED_BY_ITS_OWN_CODE = re.compile(r"^std::pmr::\w+_resource::")
_TEMPLATE = re.compile(r" ?<[^<>]*>")
_STREAM_FIRST = re.compile(r"^[\w:]*(?:stream|ios|ios_base)&(?:, )?")


def _without_templates(name: str) -> str:
    for operator, word in (("operator<<", "operator_out"), ("operator>>", "operator_in")):
        name = name.replace(operator, word)
    while (shorter := _TEMPLATE.sub("", name)) != name:
        name = shorter
    return name.replace("operator_out", "operator<<").replace("operator_in", "operator>>")


def short_name(name: str) -> str:
    """The function's name as a programmer writes it."""
    head = _without_templates(name).partition("(")[0].split()[-1].partition("::~")[0]
    return head.replace("::__cxx11::", "::").replace("::basic_", "::")


def _changes_its_object(symbol: str, name: str) -> bool:
    """A member of an object that is not const. No constructor or destructor: those of exceptions
    are called everywhere."""
    if not symbol.startswith("_ZNS") or _CHANGES_NO_OBJECT.search(name) or uses_stream(name):
        return False
    scopes = _without_templates(name).partition("(")[0].split("::")
    if len(scopes) < 3:
        return False
    return scopes[-1].lstrip("~") != scopes[-2] or bool(_USED_BY_ITS_OWN_CODE.search(name))


def _is_unwatched(symbol: str, name: str) -> bool:
    if "(" not in name or _NOT_LOOKED_AT.search(name):
        return False
    if _changes_its_object(symbol, name):
        return True
    parameters = _without_templates(name).partition("(")[2]
    if uses_stream(name):
        parameters = _STREAM_FIRST.sub("", parameters)
    return "*" in parameters or "&" in parameters.removesuffix(" const &").removesuffix(" &&")


#: Of the library itself, and not of a program's class.
_OF_LIBRARY = ("_ZSt", "_ZNSt", "_ZNKSt", "_ZNKRSt", "_ZNSi", "_ZNSo", "_ZNSs")


def unwatched_library_calls(
    objects: Iterable[Path], runtime: Path, never: Collection[str]
) -> list[str]:
    """Those of them that the objects call, but for those that are `never` called."""
    called = undefined_elsewhere(objects, runtime) - redefined_calls() - set(never)
    names = demangle(sorted(symbol for symbol in called if symbol.startswith(_OF_LIBRARY)))
    return sorted(
        {short_name(name) for symbol, name in names.items() if _is_unwatched(symbol, name)}
    )


def has_coroutines(objects: Iterable[Path]) -> bool:
    """Is there a coroutine? gcc and clang give names of their own to what resumes one."""
    return any(
        symbol.defined and symbol.name.endswith((".actor", ".resume"))
        for object_file in objects
        for symbol in symbols(object_file)
    )


#: What the runtime answers in the system's place, by the calls that ask for it.
_ANSWERS = {
    "getpid getppid": "the process has the number 1, and its parent 0",
    "sched_getcpu": "all threads run on processor 0: sched_getcpu answers 0",
    "setlocale": "setlocale knows the locale C alone",
    "signal sigaction": "no signal comes: what signal and sigaction install is never called",
    "getrandom getentropy arc4random arc4random_buf arc4random_uniform "
    "_ZNSt13random_device9_M_getvalEv": "the system's random numbers (std::random_device, "
    "getrandom) are a fixed sequence for each thread",
}


#: What only the setter of a promise or a task is made of, by its part of a mangled name.
_OF_PROMISES = {
    "13_State_baseV27_SetterI": "std::promise",
    "__future_base11_Task_stateI": "std::packaged_task",
}


def promises_used(objects: Iterable[Path]) -> list[str]:
    names = {symbol.name for object_file in objects for symbol in symbols(object_file)}
    return [
        promise for part, promise in _OF_PROMISES.items() if any(part in name for name in names)
    ]


def answers_given(objects: Iterable[Path]) -> list[str]:
    called = set[str]().union(*map(undefined_symbols, objects))
    return [answer for calls, answer in _ANSWERS.items() if called & set(calls.split())]
