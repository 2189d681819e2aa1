# SPDX-License-Identifier: MIT
"""Finds the memory orders and asymmetric fences of a header, the proofs named for each, and what is
next weaker. Reads text: proofs/README.md says what it looks for."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "lab"))
from fencepost.source_orders import ORDER, arguments, closing, masked

ORDERS = ("relaxed", "consume", "acquire", "release", "acq_rel", "seq_cst")  # as std numbers them

#: Operations of std::atomic, with how many arguments come before the orders and how many orders
#: there may be.
OPERATIONS = {
    "load": (0, 1),
    "store": (1, 1),
    "exchange": (1, 1),
    "fetch_add": (1, 1),
    "fetch_sub": (1, 1),
    "fetch_and": (1, 1),
    "fetch_or": (1, 1),
    "fetch_xor": (1, 1),
    "test_and_set": (0, 1),
    "compare_exchange_weak": (2, 2),
    "compare_exchange_strong": (2, 2),
}

OPERATION = re.compile(r"(?:\.|->)\s*(?:template\s+)?(" + "|".join(OPERATIONS) + r")\s*\(")
FENCE = re.compile(r"\batomic_(?:thread|signal)_fence\s*\(")
ASYMMETRIC = re.compile(
    r"(?<![\w:])(?:::)?(?:\w+::)*((?:interprocess_)?asymmetric_thread_fence_(?:light|heavy)"
    r"|light_fence|heavy_fence)\s*\("
)
ATOMIC_NAME = re.compile(
    r"(?:\bstd::atomic(?:_ref)?<[^;{}()]*>|\bstd::atomic_flag|\bfutex::word|\bordered_atomic<[^;{}()]*>)\s+(\w+)\s*(?=[;{=\[])"
)
#: A variable, parameter or member of whatever type; the keywords are none.
DECLARATION = (
    r"(?<![\w.])(?!return\b|else\b|case\b|goto\b)[A-Za-z_][\w:]*(?:<[^;{{}}()]*>)?\s*[&*]*\s+[&*]*{}"
    r"\s*(?=[=;{{,)\[])"
)
PROOFS = re.compile(r"\b[Pp]roofs?:\s*")
PROOF = re.compile(r"[a-z0-9_]+(?:[./][a-z0-9_]+)*(?:\[[\w+-]+\])?")
BETWEEN = re.compile(r",?\s*\band\b\s*|,\s*")


@dataclass(frozen=True)
class Site:
    """One order that is written, or one call of an asymmetric fence."""

    header: Path
    line: int
    start: int
    end: int
    operation: str
    order: str  # "" of an asymmetric fence
    weaker: tuple[str, ...]  # "" for none at all
    proofs: tuple[str, ...]

    @property
    def what(self) -> str:
        return f"{self.operation}, {self.order}" if self.order else self.operation


@dataclass(frozen=True)
class Complaint:
    """Something that is written where it should not be, or not written where it should."""

    header: Path
    line: int
    text: str


def next_weaker(operation: str, order: str, is_failure: bool) -> tuple[str, ...]:
    if order == "seq_cst":
        if operation == "load" or is_failure:
            return ("acquire",)
        return ("release",) if operation == "store" else ("acq_rel",)
    if order == "acq_rel":
        return ("acquire", "release")
    return () if order == "relaxed" else ("relaxed",)


class Header:
    """A header, and what is found in it."""

    def __init__(self, path: Path, text: str) -> None:
        self.path = path
        self.text = text
        self.code = masked(text)
        self._lines = text.splitlines()
        self._code_lines = self.code.splitlines()
        self.sites: list[Site] = []
        self.complaints: list[Complaint] = []
        self._find()

    def _find(self) -> None:
        taken: set[int] = set()
        for match in OPERATION.finditer(self.code):
            self._operation(match.group(1), match.start(1), match.end() - 1, taken)
        for match in FENCE.finditer(self.code):
            end = closing(self.code, match.end() - 1)
            for found in ORDER.finditer(self.code, match.end() - 1, end):
                taken.add(found.start())
                if "signal" in match.group():  # for the compiler alone: there or not there
                    self._add_call(match.start(), end + 1, "atomic_signal_fence")
                else:
                    self._add("fence", found, False)
        for match in ASYMMETRIC.finditer(self.code):
            self._asymmetric(match, taken)
        for match in ORDER.finditer(self.code):
            before = self.code[: match.start()].rstrip()
            if match.start() in taken or match.group(1) not in ORDERS:
                continue
            if not before.endswith(("==", "!=", "case")):
                self._add("order that is passed on", match, False)
        self._operators()
        self.sites.sort(key=lambda site: site.start)

    def _line_of(self, place: int) -> int:
        return self.text.count("\n", 0, place) + 1

    def _complain(self, place: int, text: str) -> None:
        self.complaints.append(Complaint(self.path, self._line_of(place), text))

    def _operation(self, operation: str, start: int, opening: int, taken: set[int]) -> None:
        end = closing(self.code, opening)
        given = arguments(self.code, opening, end)
        before, orders = OPERATIONS[operation]
        if len(given) <= before:
            self._complain(start, f"{operation}(): order not written")
            return
        for place, (first, last) in enumerate(given[before : before + orders]):
            for found in ORDER.finditer(self.code, first, last):
                taken.add(found.start())
                self._add(operation, found, place > 0)

    def _asymmetric(self, match: re.Match[str], taken: set[int]) -> None:
        opening = match.end() - 1
        end = closing(self.code, opening)
        for found in ORDER.finditer(self.code, opening, end):
            taken.add(found.start())
        before = self.code[: match.start()].rstrip()
        if re.search(r"(?:\w|[&*>])$", before) and not re.search(r"\b(?:return|else|do)$", before):
            return  # its declaration
        self._add_call(match.start(), end + 1, match.group(1))

    def _add_call(self, start: int, end: int, name: str) -> None:
        line = self._line_of(start)
        start = re.search(r"(?:::)?(?:\w+::)*$", self.code[:start]).start()  # type: ignore[union-attr]
        self.sites.append(Site(self.path, line, start, end, name, "", ("",), self._proofs_of(line)))

    def _add(self, operation: str, match: re.Match[str], is_failure: bool) -> None:
        weaker = next_weaker(operation, match.group(1), is_failure)
        if not weaker:
            return
        line = self._line_of(match.start())
        if is_failure:
            operation += " (failure)"
        self.sites.append(
            Site(
                *(self.path, line, match.start(), match.end()),
                *(operation, match.group(1), weaker, self._proofs_of(line)),
            )
        )

    def _operators(self) -> None:
        """Atomics that are used as if they were not: every such use is seq_cst."""
        declared = ATOMIC_NAME.findall(self.code)
        for name in sorted(set(declared)):
            if len(re.findall(DECLARATION.format(name), self.code)) > declared.count(name):
                continue  # something else has the name, too
            used = rf"(?<![\w:]){name}(?:\[[^\]]*\])*"
            for pattern in (
                rf"{used}\s*(?:[-+&|^]?=(?!=)|\+\+|--)",
                rf"(?:\+\+|--|!|&&|\|\||==|!=|\b(?:if|while)\s*\()\s*(?:\w+(?:\.|->))*{used}"
                r"\s*(?:[;),?:&|]|[=!]=)",
            ):
                for match in re.finditer(pattern, self.code):
                    if not self._declares(match.start(), name):
                        self._complain(match.start(), f"{name} as an operand: order not written")

    def _declares(self, place: int, name: str) -> bool:
        line_start = self.code.rfind("\n", 0, place) + 1
        before = self.code[line_start:place]
        return bool(re.search(r"(?:>|\bword|\batomic_flag)\s*[&*]?\s*$", before))

    # What is said about a line.

    def _is_comment(self, index: int) -> bool:
        return self._lines[index].lstrip().startswith("//")

    def _indent(self, index: int) -> int:
        line = self._lines[index]
        return len(line) - len(line.lstrip())

    def _ends_something(self, index: int) -> bool:
        code = self._code_lines[index].rstrip()
        if not code.strip():
            return not self._is_comment(index)
        return code.endswith((";", "{", "}", ":")) and not code.endswith("::")

    def _said_at(self, index: int) -> tuple[str, int]:
        """The comments of the statement that a line is part of, and its first line."""
        said: list[str] = [self._trailing(index)]
        first = index
        while first > 0 and not self._ends_something(first - 1):
            first -= 1
            if self._is_comment(first):
                said.insert(0, self._lines[first].lstrip().lstrip("/!<").strip())
            else:
                said.insert(0, self._trailing(first))
        while first < index and self._is_comment(first):
            first += 1
        return " ".join(filter(None, said)), first

    def _trailing(self, index: int) -> str:
        _, slashes, comment = self._lines[index].partition("//")
        return comment.lstrip("/!<").strip() if slashes else ""

    def _proofs_of(self, line: int) -> tuple[str, ...]:
        index = line - 1
        while True:
            said, first = self._said_at(index)
            names = tuple(dict.fromkeys(names_in(said)))
            if names:
                return names
            indent = self._indent(first)
            index = first - 1
            while self._code_lines[first].lstrip().startswith("}") and not (
                self._indent(index) == indent and self._code_lines[index].strip()
            ):
                index -= 1  # "} else {": what stands above the "if" is said of both
            if self._code_lines[first].lstrip().startswith("}"):
                continue
            while index >= 0 and (
                not self._code_lines[index].strip()
                or self._indent(index) >= indent
                or re.match(r"\s*(?:public|private|protected):", self._code_lines[index])
            ):
                index -= 1
            if index < 0 or indent == 0:
                return ()


def names_in(said: str) -> Iterator[str]:
    """The names after "Proof:" or "Proofs:"."""
    for match in PROOFS.finditer(said):
        place = match.end()
        while found := PROOF.match(said, place):
            yield found.group()
            between = BETWEEN.match(said, found.end())
            if not between:
                break
            place = between.end()
