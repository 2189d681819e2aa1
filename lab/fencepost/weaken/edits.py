# SPDX-License-Identifier: MIT
"""Writes new orders into source text, where an order stands literally or is left to its default.

The compiler names the line and the column of an operation; the operation that surrounds that point
in the text is the one to be edited. What is written in another way (an order in a constant, an
operator such as `x = 1`, a macro) is not touched, and named.
"""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from fencepost.console.input_error import UnusableInput
from fencepost.system.source_file import as_bytes, editable_text_of
from fencepost.weaken.lattice import Value, with_derived
from fencepost.weaken.sites import Site
from fencepost.weaken.source_orders import ORDER, arguments, closing, masked

#: How operations are spelt: the arguments before the orders, and how many orders may follow.
_Form = tuple[str, int, int]

_FETCH = ("fetch_add", "fetch_sub", "fetch_and", "fetch_or", "fetch_xor", "fetch_nand")

#: x.store(1, order), and whether the order may be left out.
_MEMBERS: dict[str, _Form] = {
    "load": ("load", 0, 1),
    "test": ("load", 0, 1),
    "store": ("store", 1, 1),
    "clear": ("store", 0, 1),
    "exchange": ("exchange", 1, 1),
    "test_and_set": ("exchange", 0, 1),
    "compare_exchange_weak": ("compare_exchange", 2, 2),
    "compare_exchange_strong": ("compare_exchange", 2, 2),
    **{name: (name, 1, 1) for name in _FETCH},
}

_FLAGS = ("test", "clear", "test_and_set")

#: atomic_store_explicit(&x, 1, order), which without `_explicit` has no order: the members with the
#: object before their arguments.
_FUNCTIONS: dict[str, _Form] = {
    f"atomic_flag_{name}" if name in _FLAGS else f"atomic_{name}": (operation, count + 1, orders)
    for name, (operation, count, orders) in _MEMBERS.items()
}

#: __atomic_store_n(&x, 1, order): the orders are always written.
_BUILTINS: dict[str, _Form] = {
    "__atomic_load_n": ("load", 1, 1),
    "__atomic_load": ("load", 2, 1),
    "__atomic_store_n": ("store", 2, 1),
    "__atomic_store": ("store", 2, 1),
    "__atomic_clear": ("store", 1, 1),
    "__atomic_exchange_n": ("exchange", 2, 1),
    "__atomic_exchange": ("exchange", 3, 1),
    "__atomic_test_and_set": ("exchange", 1, 1),
    "__atomic_compare_exchange_n": ("compare_exchange", 4, 2),
    "__atomic_compare_exchange": ("compare_exchange", 4, 2),
    **{f"__atomic_{name}": (name, 2, 1) for name in _FETCH},
    **{f"__atomic_{name[6:]}_fetch": (name, 2, 1) for name in _FETCH},
}

_FENCES: dict[str, _Form] = {
    "atomic_thread_fence": ("fence", 0, 1),
    "__atomic_thread_fence": ("fence", 0, 1),
    "atomic_signal_fence": ("light fence", 0, 1),
    "__atomic_signal_fence": ("light fence", 0, 1),
}

_FORMS = {**_MEMBERS, **_FUNCTIONS, **_BUILTINS, **_FENCES}
_CALL = re.compile(r"\b(" + "|".join(sorted(_FORMS, key=len, reverse=True)) + r")(_explicit)?\s*\(")
_MEMBER = re.compile(r"(?:\.|->)\s*(?:template\s+)?$")
#: In C++ it has the names outside of namespaces, too.
_C_HEADER = re.compile(r"^[ \t]*#[ \t]*include[ \t]*<stdatomic\.h>", re.MULTILINE)
_MACRO_ORDER = re.compile(r"__ATOMIC_(RELAXED|CONSUME|ACQUIRE|RELEASE|ACQ_REL|SEQ_CST)\b")


@dataclass(frozen=True)
class _Call:
    """An atomic operation as it stands in the text."""

    name: str
    form: _Form
    name_end: int
    start: int
    opening: int
    end: int
    explicit: bool
    member: bool


@dataclass(frozen=True)
class _Edit:
    start: int
    end: int
    text: str


class NotEditable(Exception):
    """The order is not written at that place in a form that is understood; the message says why."""


def _calls(code: str) -> Iterator[_Call]:
    for match in _CALL.finditer(code):
        name = match[1]
        member = bool(_MEMBER.search(code, max(0, match.start() - 40), match.start()))
        if member != (name in _MEMBERS) or (match[2] and name not in _FUNCTIONS):
            continue
        opening = match.end() - 1
        start = match.start() if member else _qualified(code, match.start())
        end = closing(code, opening)
        explicit = bool(match[2])
        yield _Call(name, _FORMS[name], match.end(1), start, opening, end, explicit, member)


def _qualified(code: str, start: int) -> int:
    """Where a name begins with what qualifies it."""
    found = re.search(r"(?:::)?(?:\w+::)*$", code[max(0, start - 80) : start])
    return start - len(found[0]) if found else start


def lines_of(text: str) -> list[str]:
    """Lines with their ends, as compilers count them: only a line feed ends one."""
    return re.findall(r"[^\n]*\n|[^\n]+", text)


def _offset(text: str, line: int, column: int) -> int:
    """Columns are counted in bytes, from 1."""
    lines = lines_of(text)
    if not 0 < line <= len(lines):
        raise NotEditable("the file has no such line any more")
    before = as_bytes(lines[line - 1])[: max(column - 1, 0)].decode("utf-8", "surrogateescape")
    return sum(len(one) for one in lines[: line - 1]) + len(before)


def _call_at(code: str, original: str, site: Site) -> _Call:
    """The operation whose name or opening parenthesis the compiler points at; of what stands in a
    macro's parentheses, as in assert(x.load()), it knows the place of the macro's name alone."""
    if site.ordinal:
        raise NotEditable("it is one of several operations of a macro's use")
    point = _offset(original, site.place.line, site.place.column)
    same = [call for call in _calls(code) if call.form[0] == site.operation]
    for call in same:
        if call.start <= point <= call.opening:
            return call
    if macro := re.compile(r"\w+\s*\(").match(code, point):
        end = closing(code, macro.end() - 1)
        inside = [call for call in same if macro.end() <= call.start and call.end < end]
        if len(inside) == 1:
            return inside[0]
    raise NotEditable(f"no {site.operation} with an order is written there")


def _literal(code: str, start: int, end: int) -> tuple[int, int, str]:
    """Where in an argument its order's name stands, and the name as it is written."""
    argument = code[start:end]
    stripped = argument.strip()
    if match := ORDER.fullmatch(stripped):
        at = start + argument.index(stripped) + match.start(1)
        return at, at + len(match[1]), match[1]
    if match := _MACRO_ORDER.fullmatch(stripped):
        at = start + argument.index(stripped) + match.start(1)
        return at, at + len(match[1]), match[1]
    raise NotEditable(f"the order is not written out: '{stripped}'")


def _written_like(written: str, order: str) -> str:
    return order.upper() if written.isupper() else order


def _spelt(original: str, order: str, is_c: bool) -> str:
    plain = is_c or _C_HEADER.search(original)
    return f"memory_order_{order}" if plain else f"std::memory_order_{order}"


def _removed_fence(code: str, original: str, call: _Call) -> _Edit | None:
    """Takes away the whole line of a fence that stands there alone, as a statement."""
    start = code.rfind("\n", 0, call.start) + 1
    end = code.find("\n", call.end) + 1 or len(code)
    before = code[:start].rstrip()
    is_alone = code[start:end].strip() == code[call.start : call.end + 1] + ";"
    is_bare = original[start:end].partition("//")[0].rstrip() == code[start:end].rstrip()
    if is_alone and is_bare and (not before or before[-1] in ";{}"):
        return _Edit(start, end, "")
    return None


def _edits(code: str, original: str, site: Site, value: Value, is_c: bool) -> list[_Edit]:
    assert site.written
    if site.is_call:
        raise NotEditable("whether the function is called is for you to edit")
    call = _call_at(code, original, site)
    _, before, most = call.form
    given = arguments(code, call.opening, call.end)[before:]
    if value == ("none",) and (removed := _removed_fence(code, original, call)):
        return [removed]
    wanted = ["relaxed" if order == "none" else order for order in value]
    if len(given) > most:
        raise NotEditable("it has more arguments than are understood")
    edits = []
    for number, (start, end) in enumerate(given):
        first, last, name = _literal(code, start, end)
        written = "relaxed" if site.written[number] == "none" else site.written[number]
        if {"consume": "acquire"}.get(name.lower(), name.lower()) != written:
            raise NotEditable(f"another order is written there: {name.lower()}")
        edits.append(_Edit(first, last, _written_like(name, wanted[number])))
    if not given:
        if site.written[0] != "seq_cst":
            raise NotEditable("no order is written there")
        if call.name in _FUNCTIONS and not call.explicit:
            edits.append(_Edit(call.name_end, call.name_end, "_explicit"))
        elif call.explicit or not call.member:
            raise NotEditable("no order is written there")
    missing = wanted[len(given) :]
    tied = call.member and missing and value == with_derived(value[0])
    if tied:
        missing = missing[:-1]
    if missing:
        has_any = bool(code[call.opening + 1 : call.end].strip())
        if given:
            start, end = given[-1]
            sample = original[start:end].strip()
            at = _literal(code, start, end)
            prefix = sample[
                : at[0] - start - (len(code[start:end]) - len(code[start:end].lstrip()))
            ]
            added = [prefix + _written_like(at[2], order) for order in missing]
        else:
            added = [_spelt(original, order, is_c) for order in missing]
        text = ", ".join(added)
        tail = len(code[: call.end].rstrip())
        edits.append(_Edit(tail, tail, f", {text}" if has_any else text))
    return [one for one in edits if code[one.start : one.end] != one.text]


@dataclass(frozen=True)
class Edited:
    """Files with their old and new texts, and the sites that could not be edited, each with the
    reason."""

    texts: dict[Path, tuple[str, str]]
    refused: list[tuple[Site, str]]

    @property
    def base(self) -> Path:
        """Where the patch is to be applied: here, or in a folder that all of its files are in."""
        paths = [path.absolute() for path in self.texts]
        here = Path.cwd()
        if all(path.is_relative_to(here) for path in paths):
            return here
        return Path(os.path.commonpath([path.parent for path in paths]))

    def diff(self) -> str:
        """A unified patch for `patch -p1` in the folder `base`."""
        parts: list[str] = []
        base = self.base
        for path, (old, new) in sorted(self.texts.items()):
            name = path.absolute().relative_to(base)
            tab = "\t" if re.search(r"\s", str(name)) else ""  # where the name ends
            names = (f"a/{name}{tab}", f"b/{name}{tab}")
            parts += difflib.unified_diff(lines_of(old), lines_of(new), *names)
        return "".join(
            part if part.endswith("\n") else f"{part}\n\\ No newline at end of file\n"
            for part in parts
        )


def writes_order(site: Site) -> bool:
    """Whether an order is written at the operation, in whatever form."""
    path = Path(site.place.file)
    try:
        original = editable_text_of(path)
        code = masked(original)
        call = _call_at(code, original, site)
    except (NotEditable, OSError, UnusableInput):
        return False
    return len(arguments(code, call.opening, call.end)) > call.form[1]


def edit(changes: Iterable[tuple[Site, Value]], all_c: bool = False) -> Edited:
    """Writes new orders of sites into the texts of their files; nothing is written to the disk.
    `all_c`: the programs have no C++ in them."""
    originals: dict[Path, str] = {}
    wanted: dict[Path, list[_Edit]] = {}
    refused: list[tuple[Site, str]] = []
    for site, value in changes:
        path = Path(site.place.file)
        try:
            original = originals[path] if path in originals else editable_text_of(path)
            is_c = all_c or path.suffix == ".c"
            edits = _edits(masked(original), original, site, value, is_c)
            others = wanted.setdefault(path, [])
            if any(one.start < two.end and two.start < one.end for one in edits for two in others):
                raise NotEditable("another operation has the same order")
        except (NotEditable, OSError, UnusableInput) as error:
            refused.append((site, str(error)))
            continue
        originals[path] = original
        others.extend(edits)
    texts = {}
    for path, original in originals.items():
        text = original
        for one in sorted(wanted[path], key=lambda one: (-one.start, -one.end)):
            text = text[: one.start] + one.text + text[one.end :]
        texts[path] = original, text
    return Edited(texts, refused)
