# SPDX-License-Identifier: MIT
"""Finds what the compiler's instrumentation cannot see: inline assembly and machine instructions
that order memory or read a clock without going through an instrumented call. What has a model is
replaced by calls of the runtime. The rest is refused, or ends an execution that comes to it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from fencepost.binary.assembly_data import data_elsewhere
from fencepost.binary.machines.machine import Machine
from fencepost.binary.refused_calls import stub_of
from fencepost.binary.source_location import short_path
from fencepost.console.input_error import Unsupported, UnsupportedInstruction

_FILE = re.compile(r'\.file\s+(\d+)\s+"([^"]*)"(?:\s+"([^"]*)")?')
_LOC = re.compile(r"\.loc\s+(\d+)\s+(\d+)")
#: What is run by who comes to it; `name = value` is not.
_INSTRUCTION = re.compile(r"[a-z][\w.]*(?! ?=)(?:[^\w.]|$)", re.IGNORECASE)
_LABEL = re.compile(r"[\w.$]+:")  # a function may well be called lock
_MARKER = re.compile(r'(?:#|//) (\d+) "([^"]*)"')

#: What the plugin puts before a statement across which the compiler may move other accesses.
_ORDERS_NOTHING = "# fencepost: orders nothing"

#: Around inline assembly, and around what clang finds of it outside functions.
_BEGINS = re.compile(r"(?:#|//)(?:APP| Start of file scope inline assembly)")
_ENDS = re.compile(r"(?:#|//)(?:NO_APP| End of file scope inline assembly)")

_FUNCTION = re.compile(r"\.type\s+([\w.$]+),\s*[@%]function")
_END_OF_FUNCTION = re.compile(r"\.size\s")


def _file_named(match: re.Match[str]) -> str:
    _, first, second = match.groups()
    return str(Path(first) / second) if second else first


@dataclass
class Endings:
    """Instructions without a model, each of which becomes the end of an execution."""

    #: What each is, and where.
    said: list[str] = field(default_factory=list)
    _stubs: list[str] = field(default_factory=list)

    def put(self, text: str, error: UnsupportedInstruction, machine: Machine) -> list[str]:
        """The instructions to put in its place."""
        label = f".Lfencepost_end{len(self._stubs)}"
        self._stubs.append(stub_of(label, error.message, machine))
        at = f" at {error.location}" if error.location else ""
        self.said.append(f"'{text}'{at}")
        return [one.replace("LABEL", label) for one in machine.ends_at]

    def code(self) -> str:
        """What they call, for the end of the file."""
        code = "".join(self._stubs)
        self._stubs.clear()
        return code


def model_assembly(assembly: Path, machine: Machine, endings: Endings | None = None) -> None:
    """Replaces what inline assembly and intrinsics do to memory by calls of the runtime. Raises
    Unsupported at the first instruction that the checker would be blind to; with `endings` such an
    instruction in a function is put there instead."""
    code = _one_instruction_a_line(assembly.read_text(errors="replace").splitlines(), machine)
    before = [line.text for line in code]
    if not any(line.inside or machine.unseen.match(line.text.strip()) for line in code):
        return
    functions = {match[1] for text in before if (match := _FUNCTION.match(text.strip()))}
    functions &= {_label(text) for text in before}  # an alias has no code
    data = data_elsewhere([line.text if line.inside else "" for line in code])
    live = machine.live_registers(before, functions)
    bodies = _functions(code, functions, machine)
    intel = any(".intel_syntax" in text for text in before)
    files: dict[str, str] = {}
    place: str | None = None
    in_function = False
    after: list[str] = []
    for number, line in enumerate(code):
        text = line.text.strip()
        if match := _FILE.match(text):
            files[match.group(1)] = _file_named(match)
        elif match := _LOC.match(text):
            file = files.get(match.group(1))
            place = f"{short_path(file)}:{match.group(2)}" if file else None
        elif match := _MARKER.match(text):
            # gcc: `# 12 "file.c" 1`, or with //, opens the text of line 12, `# 0 "" 2` closes it.
            if match.group(2) and match.group(1) != "0":
                place = f"{short_path(match.group(2))}:{match.group(1)}"
        elif line.inside or (machine.unseen.match(text) and not _LABEL.match(text)):
            plain = _without_comment(text, machine)
            is_label = bool(_LABEL.fullmatch(plain))
            made = None
            try:
                if line.inside and line.first:
                    _require_modelled(code, number, place, machine)
                if plain and not is_label and number not in data:
                    made = _translated(plain, line, live[number], bodies[number], place, machine)
                    if made is not None:
                        _require_room(plain, bodies[number], place, is_intel=intel)
            except UnsupportedInstruction as error:
                is_run = in_function and (is_label or _INSTRUCTION.match(plain))
                if endings is None or intel or not is_run:
                    raise
                made = endings.put(plain, error, machine)
                if is_label:
                    after.append(line.text)
            if made is not None:
                after += [f"\t{one}" for one in made]
                continue
        elif _END_OF_FUNCTION.match(text):
            in_function = False
        elif _label(text) in functions:
            in_function = True
        after.append(line.text)
    stubs = endings.code() if endings else ""
    assembly.write_text("".join(f"{line}\n" for line in after) + stubs)


def _require_room(text: str, body: _Function, place: str | None, *, is_intel: bool) -> None:
    """Raise Unsupported where an instruction that has a model cannot be replaced."""
    said = f"inline assembly is not modelled: '{text}' in"
    if is_intel:
        raise Unsupported(f"{said} Intel syntax", place)
    if body.not_kept:
        raise UnsupportedInstruction(f"{said} a function that uses {body.not_kept}", place)


def _require_modelled(code: list[_Line], begin: int, place: str | None, machine: Machine) -> None:
    """Raise Unsupported, with its place, if the statement at `code[begin]` is not modelled."""
    end = begin + 1
    while end < len(code) and code[end].inside and not code[end].first:
        end += 1
    try:
        machine.require_modelled([line.text.lower() for line in code[begin:end]])
    except Unsupported as error:
        raise type(error)(error.message, place) from None


@dataclass(frozen=True)
class _Line:
    text: str
    inside: bool = False  # of inline assembly, without its delimiters
    first: bool = True  # of its statement
    orders_nothing: bool = False  # the statement, by checker/compiler/assembly_operands.hpp


def _label(line: str) -> str:
    """That a line begins with, if any: clang puts a comment behind."""
    match = _LABEL.match(line.strip())
    return match.group()[:-1] if match else ""


#: Or a comment, or what cannot be told from one by looking at a part of the line.
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')


def _without_comment(line: str, machine: Machine) -> str:
    for string in _STRING.findall(line):
        if any(sign in string for sign in (machine.comment, "/*", "*/", ";")):
            raise Unsupported(f"inline assembly is not modelled: a string like {string}")
    text = re.sub(r"/\*.*?\*/", " ", line).split(machine.comment, 1)[0]
    return re.sub(r"\s+", " ", text).strip()


def _one_instruction_a_line(lines: list[str], machine: Machine) -> list[_Line]:
    """The same with one instruction of inline assembly a line, prefixes before what they belong to
    (clang splits "rep; nop" into two lines), and labels on lines of their own."""
    code: list[_Line] = []
    inside, first, prefix, unordered, is_open = False, True, "", False, False
    for raw in lines:
        line = raw.strip()
        if match := _MARKER.match(line):  # of gcc: a statement begins, or ends
            is_open = bool(match[2])
        elif is_open and _ENDS.match(line):
            raise Unsupported("inline assembly that seems to end before it does")
        if _BEGINS.match(line) or _ENDS.match(line) or _MARKER.match(line):
            unordered = False
        elif line == _ORDERS_NOTHING:
            unordered = inside
        if (begins := _BEGINS.match(line)) or _ENDS.match(line):
            if prefix:  # nothing comes after it
                code.append(_Line(prefix, True, first, unordered))
            inside, first, prefix = bool(begins), True, ""
            code.append(_Line(raw))
        elif not inside or _MARKER.match(line):
            first = True
            code.append(_Line(raw))
        else:
            for part in _without_comment(line, machine).split(";"):
                text = part.strip()
                while match := re.match(r"[\w.$]+:(?!\S*%)\s*", text):
                    if prefix:  # who comes by the label runs what follows without it
                        code.append(_Line(prefix, True, first, unordered))
                        prefix, first = "", False
                    code.append(_Line(match.group().strip(), True, first))
                    text, first = text[match.end() :], False
                if not text:
                    continue
                text = f"{prefix} {text}".strip()
                prefix = text if text in machine.prefixes else ""
                if not prefix:
                    code.append(_Line(text, True, first, unordered))
                    first = False
    return code


@dataclass(frozen=True)
class _Function:
    red_zone: bool  # it may keep something below the stack pointer
    not_kept: str  # a register that it uses and that would be lost


def _functions(code: list[_Line], functions: set[str], machine: Machine) -> list[_Function]:
    """The function that each line belongs to."""
    begins = [0]
    begins += [n for n, line in enumerate(code) if _label(line.text) in functions]
    result: list[_Function] = []
    for begin, end in pairwise([*begins, len(code)]):
        body = [line.text for line in code[begin:end]]
        calls = any(text.strip().startswith(machine.calls) for text in body)
        below = machine.below_stack and machine.below_stack.search("\n".join(body))
        lost = machine.not_kept and machine.not_kept.search("\n".join(body))
        function = _Function(bool(below) and not calls, lost.group().strip() if lost else "")
        result += [function] * (end - begin)
    return result


def _translated(
    text: str, line: _Line, live: int, function: _Function, place: str | None, machine: Machine
) -> list[str] | None:
    red_zone = function.red_zone
    if line.inside:
        try:
            unordered = {"orders_nothing": True} if line.orders_nothing else {}
            return machine.translate(text, live, first=line.first, red_zone=red_zone, **unordered)
        except Unsupported as error:
            raise type(error)(error.message, place) from None
    if text in machine.fences:
        return machine.translate(text, live, first=True, red_zone=red_zone)
    raise UnsupportedInstruction(
        f"the instruction '{text}' is invisible to the checker "
        "(an intrinsic, or a function that is not instrumented)",
        place,
    )
