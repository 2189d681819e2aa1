# SPDX-License-Identifier: MIT
"""Which constructors, in gcc's dump of a file, keep the address of what they make to themselves.

`hidden_copies` takes a local variable for nobody else's as long as its address goes nowhere. Nearly
every object is made by a constructor, which is given that address, so it is looked at: one that
only writes its members, or hands them to constructors of the kind, is harmless. Of one that the
file does not define nothing is known.

A call names the constructor of complete objects, the dump has the one of base objects, an alias of
it. gcc makes them one after the other, with the parameters in between, and numbers what it makes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

_PLACE = re.compile(r"\[[^\]\s]+:\d+:\d+\] ?")
_HEADER = re.compile(r"^;; Function .*\(_Z\w*?C[12][EI]\S*?, .*\bdecl_uid=(\d+)")
_CONSTRUCTS = re.compile(r"gimple_call <__[cd]t_\w+ D\.(\d+), NULL, ([^,>]+)(.*)>")
_DERIVES = re.compile(
    r"gimple_assign <(?:addr_expr|nop_expr|ssa_name|pointer_plus_expr|convert_expr), "
    r"((?:[\w.$]+)?_\d+), (.*)>"
)
_ANNOUNCES = re.compile(r"gimple_call <__builtin___tsan_(?!atomic)")


def harmless_constructors(dump: str) -> frozenset[str]:
    """The numbers by which they may be called."""
    aliases: dict[str, set[str]] = {}  # of each, by the number of the one that the dump has
    calls: dict[str, set[str]] = {}
    uid, lines = "", list[str]()
    for line in dump.splitlines():
        if line.startswith(";; Function "):
            uid, lines = "", []
            if match := _HEADER.match(line):
                uid = match.group(1)
        elif uid and line == "}":
            called = _hands_on(lines)
            if called is not None:
                parameters = _parameters(lines[0], uid)
                aliases[uid] = {uid, str(int(uid) - 1 - parameters)}
                calls[uid] = called
            uid = ""
        elif uid and (lines or re.search(rf"D\.{uid} \(", line)):
            lines.append(line)
    harmless = set(aliases)
    while True:  # whoever hands its members to one that is not harmless is not either
        known = set[str]().union(*(aliases[one] for one in harmless))
        left = {one for one in harmless if calls[one] <= known}
        if left == harmless:
            return frozenset(known)
        harmless = left


def _parameters(header: str, uid: str) -> int:
    """How many there are, without the commas of templates and of types of functions."""
    depth, commas = 0, 0
    for letter in header.split(f"D.{uid} (", 1)[1]:
        depth += (letter in "([<{") - (letter in ")]>}")
        commas += letter == "," and depth == 0
    return commas + 1


def _hands_on(lines: list[str]) -> set[str] | None:
    """The constructors that a constructor gives addresses inside its object to; None if such an
    address goes anywhere else."""
    this = re.search(r"\bthis(?=D\.\d+)", lines[0])
    if this is None:
        return None
    inside = {"this"}  # and what is computed from it
    called = set[str]()
    body = [_PLACE.sub("", line) for line in lines[1:] if "gimple_" in line or "# " in line]
    for text in body:
        match = _DERIVES.search(text)
        if match and _mentions(match.group(2), inside):
            inside.add(match.group(1))
    for text in body:
        if "gimple_debug" in text or _ANNOUNCES.search(text) or _DERIVES.search(text):
            continue
        if match := _CONSTRUCTS.search(text):
            if _goes(match.group(3), inside):
                return None
            if _mentions(match.group(2), inside):
                called.add(match.group(1))
        elif _goes(text, inside):
            return None
    return called


def _names(inside: Iterable[str]) -> str:
    return "|".join(
        r"this_\d+(?:\(D\))?|thisD\.\d+" if name == "this" else re.escape(name) for name in inside
    )


def _mentions(operand: str, inside: set[str]) -> bool:
    return re.search(rf"(?<![\w.])(?:{_names(inside)})(?![\w.])", operand) is not None


def _goes(text: str, inside: set[str]) -> bool:
    """Whether one of the addresses is an operand of its own, or the address of what lies there is:
    more than the place of an access."""
    names = _names(inside)
    access = rf"(?<!&)\*(?:{names})(?![\w])|(?<!&)\b(?:{names})->|(?<!&)MEM (?:<[^>]*> )?\[[^\]]*\]"
    return _mentions(re.sub(access, "", text), inside)
