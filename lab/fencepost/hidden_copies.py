# SPDX-License-Identifier: MIT
"""Finds copies of memory that gcc makes without telling the checker.

gcc's instrumentation announces assignments. It does not announce what a call itself moves: a struct
that is passed by value straight from shared memory, a struct that a call returns straight into it,
and the compiler's own memset or memcpy of a few bytes, which becomes a handful of instructions. So
gcc is asked for its program as it stands after the instrumentation (GIMPLE, -fdump-tree-tsan), and
calls are searched for operands in memory that another thread could reach. Objects of this very call
of the function whose address goes nowhere are nobody else's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from fencepost.hidden_constructors import harmless_constructors
from fencepost.hidden_results import Results, results_in_place
from fencepost.input_error import Unsupported
from fencepost.source_location import short_path

#: Without optimisation the instrumentation is another pass than with it.
PASSES = ("tsan0", "tsan1")

#: Written by the compiler in line if it knows how many bytes.
_MOVERS = re.compile(
    r"__builtin_(?:memcpy|memmove|memset|mempcpy|memcmp|memcmp_eq|bcmp|strcpy|stpcpy|strncpy)D\.\d+"
)
_VECTORS = re.compile(
    r"\.(?:MASK|LEN|SCATTER|GATHER|LOAD|STORE)_\w*|__builtin_ia32_\w*(?:mask(?:load|store)|gather|"
    r"scatter|movnt)\w*D\.\d+"
)
#: An address that goes nowhere: to a constructor or destructor of that object, into an access.
_MAKES = re.compile(
    r"(?<=<)__([cd])t_\w+ D\.(\d+), NULL, &[\w.$]+|MEM (?:<[^>]*> )?\[\([^)]*\)&|MEM\[\([^)]*\)&"
)
#: One name; what follows it is a member.
_DECLARED = re.compile(r"(?:(?!D\.\d)[\w.$])*D\.\d+")
_BEGINS = re.compile(r"^;; Function .*\bdecl_uid=(\d+)", re.MULTILINE)
_PLACE = re.compile(r"\[([^\]\s]+):(\d+):\d+\] ?")
#: A declared name that stands at a place of its own is an expression: the address of a function.
_ADDRESS = re.compile(rf"(?<=, ){_PLACE.pattern}(?={_DECLARED.pattern}(?:,|$))")
_CALL = re.compile(r"^\s*(?:\[([^\]\s]+):(\d+):\d+\] )?gimple_call <(.*)>(?: \[[^<>]*\])*$")
_OPERATOR = re.compile(r"operator.*?D\.\d+(?=, |$)")
_LOCAL = re.compile(r"^  (?!static )[^\[]*?(?:(\S*D\.\d+)|\(\* ?(\S*D\.\d+)\).*?)(?:\[[^\]]*\])*;")
_VALUE = re.compile(
    r"NULL|&.*|[\w.$#]*_\d+(?:\(D\))?|[-+]?[\d.].*|\".*|'.*|\{.*|\*\.LC.*|<.*>|true|false"
    # a constructor or destructor by its address, a constant, and what is this function's own result
    r"|__\w+ D\.\d+|\*<retval>.*",
    re.DOTALL,
)

_ADVICE = "; let it go by way of a local variable, or compile with clang"
_RETURNED = f"gcc does not announce that a call returns a struct into shared memory{_ADVICE}"
_PASSED = f"gcc does not announce that shared memory is read to pass it by value{_ADVICE}"
_MASKED = "vectors that are moved under a mask are not announced: compile with less optimisation"


@dataclass
class _Function:
    """What has been read of a function's variables."""

    uid: str  # its number
    known: frozenset[str]  # the numbers of the functions that the file defines
    harmless: frozenset[str]  # and of the constructors that give away no address
    results: Results  # which calls construct what they return where it is to be
    private: set[str] = field(default_factory=set)  # of one call of it
    lines: list[str] = field(default_factory=list)

    @cached_property
    def given_away(self) -> dict[str, list[int]]:
        """The variables whose address goes somewhere, and the lines in which it does."""

        def nowhere(match: re.Match[str]) -> str:
            spreads = match.group(1) == "c" and match.group(2) not in self.harmless
            return match.group() if spreads else ""

        found: dict[str, list[int]] = {}
        for number, line in enumerate(self.lines):
            if "gimple_debug" in line or "__builtin___tsan" in line:
                continue
            text = _MAKES.sub(nowhere, _PLACE.sub("", line))
            for name in re.findall(rf"&({_DECLARED.pattern})", text):
                found.setdefault(name, []).append(number)
        return found

    def destroys(self, operand: str) -> bool:
        """Whether it has a destructor, which is called or, of a static variable, registered to be:
        then the call constructs it where it is, which is seen."""
        call = re.compile(
            r"(?:__dt_\w+ D\.\d+, NULL|__cxa_(?:thread_)?atexitD\.\d+, NULL, __dt_\w+ D\.\d+), &"
            + re.escape(operand)
            + "[,>]"
        )
        lines = (_PLACE.sub("", line).replace("->", ". ") for line in self.lines if "__dt_" in line)
        return any(map(call.search, lines))

    @cached_property
    def _loops(self) -> list[tuple[int, int]]:
        """The lines from which one can come back to an earlier one."""
        blocks = {
            match.group(1): number
            for number, line in enumerate(self.lines)
            if (match := re.match(r"\s*<bb (\d+)>", line))
        }
        jumps = (
            (blocks.get(target, number), number)
            for number, line in enumerate(self.lines)
            for target in re.findall(r"<bb (\d+)>", line)
        )
        return [(start, end) for start, end in jumps if start < end]

    def is_made_by(self, operand: str, number: int) -> bool:
        """Whether the call that returns into this variable is what initialises it: nothing else in
        the function writes it, the compiler's own first value of what has none included, and its
        address goes somewhere only behind that."""
        if operand not in self.private or min(self.given_away.get(operand, [number])) < number:
            return False
        write = re.compile(
            rf"gimple_(?:assign <\w+|call <[^,]*), {re.escape(operand)}\b|__ct_\w+ D\.\d+, NULL, &"
            rf"{re.escape(operand)}\b"
        )
        lines = (_PLACE.sub("", line) for line in self.lines if "CLOBBER" not in line)
        return sum(map(bool, map(write.search, lines))) == 1

    def known_elsewhere(self, variable: str, number: int) -> bool:
        """Whether somebody else may have the variable's address at this line."""
        lines = self.given_away.get(variable, [])
        in_a_loop = any(start <= number <= end for start, end in self._loops)
        return bool(lines) and (in_a_loop or min(lines) < number)


def _split(text: str) -> list[str]:
    """The operands of a call, which are separated by commas outside all brackets."""
    parts, depth, start, quoted = [], 0, 0, False
    text = text.replace("->", ". ")
    for at, letter in enumerate(text):
        if letter == '"' and text[at - 1] != "\\":
            quoted = not quoted
        if quoted:
            continue
        if letter in "([{<":
            depth += 1
        elif letter in ")]}>":
            depth -= 1
        elif letter == "," and depth == 0:
            parts.append(text[start:at].strip())
            start = at + 1
    return [*parts, text[start:].strip()]


def _functions(dump: str) -> Iterator[_Function]:
    known = frozenset(_BEGINS.findall(dump))
    harmless = harmless_constructors(dump)
    results = results_in_place(dump)
    function: _Function | None = None
    declaring = False
    header, uid = "", ""
    for line in dump.splitlines():
        if match := _BEGINS.match(line):
            uid = match.group(1)
        elif line == "{":
            function, declaring = _Function(uid, known, harmless, results), True
            if "(" in header:  # parameters are variables, too
                function.private.update(_DECLARED.findall(header.split("(", 1)[1]))
        elif function is None:
            header = line
        elif line == "}":
            yield function
            function = None
        elif declaring and not line.strip():
            declaring = False
        elif declaring:
            if match := _LOCAL.match(line):
                function.private.add(match.group(1) or match.group(2))
        else:
            function.lines.append(line)


def _statics(symbols: str) -> set[str]:
    """The names of variables that are not of one call of a function."""
    found = set()
    for match in re.finditer(r"^\S.*/\d+ \((.*)\) @.*\n  Type: variable", symbols, re.MULTILINE):
        found.update(re.findall(r"[\w$.]+", match.group(1).split("::")[-1]))
    return found


def _is_shared(operand: str, function: _Function, statics: set[str], number: int) -> bool:
    if _VALUE.fullmatch(operand):
        return False
    if _DECLARED.fullmatch(operand) and operand not in function.private:
        name, _, uid = operand.rpartition("D.")
        # Otherwise it is a function. One that is only declared may share its name with a variable.
        return name in statics and uid not in function.known
    base = _DECLARED.match(operand)
    if base is None or base.group() not in function.private:
        return True
    return function.known_elsewhere(base.group(), number)


def _is_own(pointer: str, function: _Function) -> bool:
    """Whether what is moved is no memory at all, or a variable of this call of the function."""
    if not pointer.startswith("&"):
        return re.fullmatch(r"[-\d].*|\".*", pointer) is not None
    base = _DECLARED.match(pointer[1:])
    return base is not None and base.group() in function.private


def _hidden(function: _Function, statics: set[str]) -> Iterator[tuple[str | None, str]]:
    for number, line in enumerate(function.lines):
        match = _CALL.match(line)
        if not match:
            continue
        place = f"{short_path(match.group(1))}:{match.group(2)}" if match.group(1) else None
        text = _PLACE.sub("", _ADDRESS.sub("&", match.group(3)))
        if operator := _OPERATOR.match(text):
            callee, operands = operator.group(), _split(text[operator.end() + 2 :])
        else:
            callee, *operands = _split(text)
        if callee.startswith("__builtin___tsan") or not operands:
            continue
        if callee == ".DEFERRED_INIT":  # -ftrivial-auto-var-init: a variable that is just made
            continue
        if _VECTORS.fullmatch(callee):
            yield place, _MASKED
        elif _MOVERS.fullmatch(callee):
            known = re.fullmatch(r"\d+", operands[-1]) or "strcpy" in callee or "stpcpy" in callee
            if known and not all(_is_own(one, function) for one in operands[1:3]):
                yield (
                    place,
                    f"gcc does not announce '{callee.split('D.')[0]}' of a known size{_ADVICE}",
                )
        elif _is_shared(operands[0], function, statics, number) and not (
            function.results.is_in_place(function.uid, callee, operands[0])
            or function.destroys(operands[0])
            or function.is_made_by(operands[0], number)
        ):
            yield (
                place,
                _RETURNED,
            )
        elif any(_is_shared(one, function, statics, number) for one in operands[1:]):
            yield (
                place,
                _PASSED,
            )


def dump_flags(stem: Path) -> list[str]:
    """What makes gcc write down what `check_copies` reads."""
    trees = [f"-fdump-tree-{name}-raw-uid-lineno={stem}.{name}" for name in PASSES]
    return [*trees, f"-fdump-ipa-cgraph={stem}.symbols"]


def dumps(stem: Path) -> list[Path]:
    """What gcc has written down of the functions that it instruments."""
    return [dump for name in PASSES if (dump := Path(f"{stem}.{name}")).is_file()]


def check_copies(stem: Path) -> None:
    """Raises Unsupported at the first copy that the checker would not see."""
    written = dumps(stem)
    if not written:
        raise Unsupported(
            "this gcc does not write down what it instrumented (-fdump-tree-tsan), so the copies "
            "that it does not announce cannot be found: use gcc 12, or clang"
        )
    file = Path(f"{stem}.symbols")
    symbols = file.read_text(errors="replace") if file.is_file() else ""
    if "Symbol table:" not in symbols:  # with a precompiled header gcc 12 leaves it empty
        raise Unsupported(
            "this gcc does not write down which variables the program has (-fdump-ipa-cgraph), so "
            "the copies that it does not announce cannot be found: use no precompiled header"
        )
    statics = _statics(symbols)
    for dump in written:
        for function in _functions(dump.read_text(errors="replace")):
            for place, what in _hidden(function, statics):
                raise Unsupported(what, place)
