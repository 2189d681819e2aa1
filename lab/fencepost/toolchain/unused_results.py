# SPDX-License-Identifier: MIT
"""Finds calls of pthread_barrier_wait whose result is not looked at.

The result says which thread is the "serial" one. POSIX leaves open which, so whoever looks has as
many executions as there are threads, each round; most programs do not look. What follows the call
is read in the compiled code: unless on every path the register of the result is overwritten before
it is read, it counts as looked at.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from fencepost.binary.machines.machine import Machine

CALL = "pthread_barrier_wait"
UNASKED = "fencepost_barrier_wait_unasked"

#: More code than this after a call is not read.
_MOST_LINES = 400

_LABEL = re.compile(r"^([\w.$]+):")


@dataclass(frozen=True)
class _Instruction:
    name: str
    operands: str


class _Code:
    """The lines of an assembly file and where its labels are."""

    def __init__(self, lines: list[str], machine: Machine) -> None:
        self._lines = lines
        self._machine = machine
        self._labels = {
            match.group(1): number
            for number, line in enumerate(lines)
            if (match := _LABEL.match(line))
        }

    def instruction(self, number: int) -> _Instruction | None:
        """What stands in a line, None if it is a label, a directive, a comment or nothing."""
        text = self._lines[number].split(self._machine.comment, 1)[0].strip()
        if not text or text.startswith(".") or _LABEL.match(text):
            return None
        name, _, operands = text.partition("\t") if "\t" in text else text.partition(" ")
        return _Instruction(name, operands.strip())

    def result_is_used(self, call: int) -> bool:
        """Whether the result of the call in this line may be read."""
        todo, seen = [call + 1], set[int]()
        while todo:
            number = todo.pop()
            while number not in seen:
                seen.add(number)
                if number >= len(self._lines) or len(seen) > _MOST_LINES:
                    return True
                instruction = self.instruction(number)
                number += 1
                if instruction is None:
                    continue
                if self._overwrites(instruction):
                    break
                if self._may_read(instruction):
                    return True
                if not self._machine.is_jump(instruction.name):
                    continue
                target = self._labels.get(instruction.operands.split(",")[-1].strip())
                if target is None:
                    return True
                todo.append(target)
                if instruction.name in self._machine.always_jumps:
                    break
        return False

    def _overwrites(self, instruction: _Instruction) -> bool:
        if instruction.name in self._machine.calls:
            # Of a function in this file the compiler may know that it leaves the register alone.
            if instruction.operands.split("@")[0] in self._labels:
                return False
            # What takes no arguments looks at no register of theirs.
            return not self._machine.result_is_argument or "__tsan_func_exit" in (
                instruction.operands
            )
        found = self._machine.sets_result.fullmatch(f"{instruction.name} {instruction.operands}")
        return found is not None and not self._machine.result.search(found.group(1) or "")

    def _may_read(self, instruction: _Instruction) -> bool:
        known = self._machine.is_jump(instruction.name) or self._machine.plain.fullmatch(
            instruction.name
        )
        return not known or bool(self._machine.result.search(instruction.operands))


def rename_unasked_barriers(assembly: Path, machine: Machine) -> bool:
    """Sends the calls whose result nobody looks at to the runtime's own function; says if any."""
    lines = assembly.read_text(errors="replace").splitlines(keepends=True)
    call = re.compile(rf"(\s*(?:{'|'.join(machine.calls)})\s+){CALL}(@PLT)?\s*$")
    code: _Code | None = None
    changed = False
    for number, line in enumerate(lines):
        if not (match := call.match(line)):
            continue
        code = code or _Code(lines, machine)
        if not code.result_is_used(number):
            lines[number] = f"{match.group(1)}{UNASKED}\n"
            changed = True
    if changed:
        assembly.write_text("".join(lines))
    return changed
