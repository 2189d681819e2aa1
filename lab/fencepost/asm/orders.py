# SPDX-License-Identifier: MIT
"""Which atomic operations a compiler was asked for, with which orders, and on which lines: as its
own intermediate code says after inlining, gcc's GIMPLE or clang's LLVM IR."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ORDERS = ("relaxed", "consume", "acquire", "release", "acq_rel", "seq_cst")

Place = tuple[str, int]


@dataclass(frozen=True)
class Operation:
    """An atomic operation of a function, as the compiler sees it."""

    function: str  # as the linker knows it
    kind: str  # load, store, compare_exchange, fence, or a read-modify-write by its name
    order: str
    failure: str = ""  # of a compare-exchange
    #: Innermost first: file names without directories, and lines.
    places: tuple[Place, ...] = ()
    #: Lines begun before it, the last one first: where it may have been inlined from.
    recent: tuple[Place, ...] = ()
    #: Which order it is was not known while compiling.
    guessed: bool = False

    @property
    def is_load(self) -> bool:
        return self.kind == "load"

    @property
    def is_fence(self) -> bool:
        return self.kind == "fence"

    @property
    def words(self) -> str:
        orders = f"{self.order}/{self.failure}" if self.failure else self.order
        return f"{self.kind} {orders}"


_BEGIN = re.compile(r"^;; Function .*\((\S+?), funcdef_no=")
_PLACE = re.compile(r"\[([^\[\]\s]+?):(\d+):\d+\]")
_CALL = re.compile(r"(?<![\w.])(\.ATOMIC_\w+|__(?:atomic|sync)_\w+) \((.*)\);")
_SIZED = re.compile(r"_(?:1|2|4|8|16|n)$")


def gimple_operations(dump: str) -> list[Operation]:
    """Read the atomic operations in what -fdump-tree-optimized-lineno writes."""
    return list(_gimple(dump))


def _gimple(dump: str) -> Iterator[Operation]:
    function, recent = "", list[Place]()
    for line in dump.splitlines():
        if begin := _BEGIN.match(line):
            function, recent = begin[1], []
            continue
        places = [(match[1].rpartition("/")[2], int(match[2])) for match in _PLACE.finditer(line)]
        code = _PLACE.sub("", line)
        if "# DEBUG" not in code and (call := _CALL.search(code)):
            arguments = [one.strip() for one in _split(call[2])]
            if found := _from_call(call[1], arguments):
                kind, order, failure, guessed = found
                here = (places[0],) if places else ()
                yield Operation(
                    function, kind, order, failure, here, tuple(recent[:-1000:-1]), guessed
                )
        recent += places[:1]


def _split(arguments: str) -> list[str]:
    found, depth = [""], 0
    for letter in arguments:
        depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(letter, 0)
        if letter == "," and depth == 0:
            found.append("")
        else:
            found[-1] += letter
    return found


def _from_call(name: str, arguments: list[str]) -> tuple[str, str, str, bool] | None:
    if name.startswith("__sync_"):
        kind = _SIZED.sub("", name.removeprefix("__sync_"))
        if kind == "synchronize":
            return "fence", "seq_cst", "", False
        if kind == "lock_release":
            return "store", "release", "", False
        if kind == "lock_test_and_set":
            return "exchange", "acquire", "", False
        if "compare_and_swap" in kind:
            return "compare_exchange", "seq_cst", "seq_cst", False
        words = [one for one in kind.split("_") if one not in ("fetch", "and")]
        return f"fetch_{words[0] if words else 'and'}", "seq_cst", "", False
    kind = _SIZED.sub("", name.removeprefix("__atomic_").removeprefix(".ATOMIC_").lower())
    if kind == "thread_fence":
        return "fence", *_order(arguments[0], ""), False
    if kind == "compare_exchange":
        success, failure = arguments[4], arguments[5]
        known = success.isdigit() and failure.isdigit()
        return kind, _order(success)[0], _order(failure)[0], not known
    #: Where the order stands in gcc's own functions that it makes of several operations.
    last = {"bit_test_and": 3}.get("_".join(kind.split("_")[:3]), -1)
    last = 3 if kind.endswith("_cmp_0") else last
    if kind in ("signal_fence", "always_lock_free", "is_lock_free", "feraiseexcept"):
        return None
    kind = {"clear": "store", "test_and_set": "exchange"}.get(kind, kind)
    kind = re.sub(r"^(\w+)_fetch(?:_cmp_0)?$", r"fetch_\1", kind)
    said = arguments[last] if len(arguments) > abs(last) - (last < 0) else ""
    return kind, *_order(said), not said.isdigit()


def _order(said: str, failure: str = "") -> tuple[str, str]:
    """An order that is not a number is not known; compilers then take the strongest."""
    number = int(said) & 0xFFFF if said.isdigit() else 5
    return ORDERS[number] if number < len(ORDERS) else "seq_cst", failure


_DEFINE = re.compile(r"^define .*@(?:\"([^\"]+)\"|([\w.$]+))\(")
_METADATA = re.compile(r"^(!\d+) = (?:distinct )?!(\w+)\((.*)\)$")
_FIELD = re.compile(r"(\w+): (\"(?:[^\"]*)\"|![\w]+|[\w]+)")
_ORDER = r"(monotonic|acquire|release|acq_rel|seq_cst|unordered)"
_OPERATIONS = (
    ("load", re.compile(rf"= load atomic .*?(?<!\S){_ORDER}(?:,|$)")),
    ("store", re.compile(rf"^\s+store atomic .*?(?<!\S){_ORDER}(?:,|$)")),
    ("compare_exchange", re.compile(rf"cmpxchg .* {_ORDER} {_ORDER}(?:,|$)")),
    ("rmw", re.compile(rf"atomicrmw (?:volatile )?(\w+) .* {_ORDER}(?:,|$)")),
    ("fence", re.compile(rf"^\s+fence {_ORDER}(?:,|$)")),
)
_LIBRARY = re.compile(r"(?:call|invoke) [^@]*@(__(?:atomic|sync)_\w+)\((.*)\)")
_DBG = re.compile(r"!dbg (!\d+)")
_NAMES = {"xchg": "exchange", "nand": "fetch_nand"}


def llvm_operations(text: str) -> list[Operation]:
    """Read the atomic operations in LLVM IR with debugging information."""
    metadata = {}
    for line in text.splitlines():
        if line.startswith("!") and (match := _METADATA.match(line)):
            metadata[match[1]] = (match[2], dict(_FIELD.findall(match[3])))
    return list(_llvm(text, metadata))


Metadata = dict[str, tuple[str, dict[str, str]]]


def _llvm(text: str, metadata: Metadata) -> Iterator[Operation]:
    function = ""
    for line in text.splitlines():
        if define := _DEFINE.match(line):
            function = define[1] or define[2]
        if called := _LIBRARY.search(line):
            # Each argument is a type, what is known of it, and its value.
            arguments = [one.rpartition(" ")[2] for one in _split(called[2])]
            if found := _from_call(called[1], arguments):
                kind, order, failure, guessed = found
                yield Operation(
                    function, kind, order, failure, _places(line, metadata), guessed=guessed
                )
        for kind, pattern in _OPERATIONS:
            if not (match := pattern.search(line)):
                continue
            if 'syncscope("singlethread")' in line:
                continue  # a fence for the compiler alone
            said = [
                one.replace("monotonic", "relaxed").replace("unordered", "relaxed")
                for one in match.groups()
            ]
            places = _places(line, metadata)
            if kind == "rmw":
                name = _NAMES.get(said[0], f"fetch_{said[0]}")
                yield Operation(function, name, said[1], "", places)
            else:
                failure = said[1] if kind == "compare_exchange" else ""
                yield Operation(function, kind, said[0], failure, places)


def _places(line: str, metadata: Metadata) -> tuple[Place, ...]:
    place = _DBG.search(line)
    return tuple(_inlined(place[1], metadata)) if place else ()


def _inlined(place: str, metadata: Metadata) -> Iterator[Place]:
    while place:
        fields = metadata.get(place, ("", {}))[1]
        yield _file(fields.get("scope", ""), metadata), int(fields.get("line", 0))
        place = fields.get("inlinedAt", "")


def _file(scope: str, metadata: Metadata) -> str:
    while scope in metadata:
        kind, fields = metadata[scope]
        if kind == "DIFile":
            return Path(fields.get("filename", "").strip('"')).name
        scope = fields.get("file", "") or fields.get("scope", "")
    return ""
