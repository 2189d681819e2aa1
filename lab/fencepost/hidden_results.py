# SPDX-License-Identifier: MIT
"""Which structs that calls return, in gcc's dump of a file, are made where they are to be.

A class that cannot be copied as bytes (it has a constructor for that, or a destructor) is returned
by reference: the caller says where, and the function constructs it there, with writes that the
instrumentation announces. Any other struct is the function's own variable until the call, which
nobody announces, moves it out. The dump does not say which class is of which kind. But a function
that returns by reference shows it: what it returns is a reference to what its header says. And a
member that a destructor is called for is of such a class.
(A member that is storage for an object made by hand would be taken for one; a function of another
file that returns such storage, straight into the member, would be believed.)
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

_PLACE = re.compile(r"\[[^\]\s]+:\d+:\d+\] ?")
_BEGINS = re.compile(r"^;; Function .*\bdecl_uid=(\d+)")
_RETURNS = re.compile(r"gimple_return <(_\d+\(D\))>")
_REFERENCE = re.compile(r"^  (?:const )?(.+D\.\d+) & (?:const )?([\w.$]*_\d+(?:\(D\))?);$")
#: What an inlined function that returns by reference had for its result.
_INLINED = re.compile(r"\*retvalptr\.\d+_\d+")
_MEMBER = r"[^,]*(?:->|\. ?)([\w$]+D\.\d+)"
_ADDRESS = re.compile(rf"gimple_assign <addr_expr, ([\w.$]*_\d+), &{_MEMBER}, NULL")
_DESTROYS = re.compile(rf"gimple_call <__dt_\w+ D\.\d+, NULL, (?:([\w.$]*_\d+)|&{_MEMBER})>")


@dataclass(frozen=True)
class Results:
    """What is known of how results are returned."""

    #: The numbers of the functions that construct their result where it is to be.
    functions: frozenset[str]
    #: The references to objects of such classes, by the number of the function that they are in.
    references: Mapping[str, frozenset[str]]
    #: The members, by name and number, that are of a class with a destructor.
    members: frozenset[str]

    def is_in_place(self, caller: str, callee: str, operand: str) -> bool:
        """Whether a call of `callee` into this place, in the function of the number `caller`,
        constructs there what it returns: it is known to, or the place is of a class for which
        every function does."""
        member = re.fullmatch(_MEMBER, operand)
        return (
            callee.rpartition("D.")[2] in self.functions
            or (member is not None and member.group(1) in self.members)
            or _INLINED.fullmatch(operand) is not None
            or (operand.startswith("*") and operand[1:] in self.references.get(caller, ()))
        )


def _bodies(dump: str) -> Iterator[tuple[str, str, list[str]]]:
    """Of each function its number, its header, and its lines."""
    uid, header, lines, inside = "", "", list[str](), False
    for line in dump.splitlines():
        if match := _BEGINS.match(line):
            uid, inside = match.group(1), False
        elif line == "{":
            lines, inside = [], True
        elif line == "}":
            yield uid, header, lines
            inside = False
        elif inside:
            lines.append(line)
        else:
            header = line


def _references(lines: list[str]) -> dict[str, str]:
    """The references in a function, and the classes that they are declared to refer to."""
    return {match.group(2): match.group(1) for match in filter(None, map(_REFERENCE.match, lines))}


def _returned_by_reference(
    header: str, references: Mapping[str, str], lines: list[str]
) -> str | None:
    """The class of what the function returns, if it is returned so."""
    for line in lines:
        if match := _RETURNS.search(_PLACE.sub("", line)):
            found = references.get(match.group(1), "")
            if found and re.match(rf"(?:const )?{re.escape(found)} [^&*]", header):
                return found
    return None


def _destroyed(lines: list[str]) -> Iterator[str]:
    """The members whose destructors it calls."""
    addresses: dict[str, str] = {}
    for line in lines:
        if "__dt_" not in line and "addr_expr" not in line:
            continue
        text = _PLACE.sub("", line)
        if match := _ADDRESS.search(text):
            addresses[match.group(1)] = match.group(2)
        elif match := _DESTROYS.search(text):
            member = match.group(2) or addresses.get(match.group(1))
            if member:
                yield member


def results_in_place(dump: str) -> Results:
    functions, classes, members = set[str](), set[str](), set[str]()
    referred: dict[str, dict[str, str]] = {}
    for uid, header, lines in _bodies(dump):
        members.update(_destroyed(lines))
        referred[uid] = _references(lines)
        if found := _returned_by_reference(header, referred[uid], lines):
            functions.add(uid)
            classes.add(found)
    references = {
        uid: frozenset(name for name, found in names.items() if found in classes)
        for uid, names in referred.items()
    }
    return Results(frozenset(functions), references, frozenset(members))
