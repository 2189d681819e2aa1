# SPDX-License-Identifier: MIT
"""Which registers may hold something that the program will look at.

A statement of inline assembly clobbers few registers, so where it stands any may be in use, and
whether a loop is back where it was depends on them. But most hold what a call of the checker left
there. A register counts that an instruction has named since the last call on some path, that the
call gives back, or that the function was called with.
"""

from __future__ import annotations

import re
from collections.abc import Callable

#: Numbers as in x86_64_assembly: rax 0, rcx 1, rdx 2, rsi 6, rdi 7, r8 to r10, xmm0 to xmm7.
_ARGUMENTS = 0b0111_1100_0111 | 0xFF << 16
_RESULT = 1 << 0
_RESULTS = 1 << 0 | 1 << 2 | 0b11 << 16
_NAMED_BY_NONE = 1 << 0 | 1 << 1 | 1 << 2 | 1 << 6 | 1 << 7  # what string instructions and the like use

_GIVES_NOTHING = re.compile(
    r"__tsan_(?!atomic)\w+|__tsan_atomic\w+_store|__tsan_atomic_\w+_fence|free|abort|exit"
)
_GIVES_AN_INTEGER = re.compile(
    r"__tsan_atomic(?:8|16|32|64)_\w+|sched_yield|thrd_yield|pthread_\w+|sem_\w+|u?sleep|nanosleep"
    r"|malloc|calloc|printf|puts|syscall"
)
_LABEL = re.compile(r"([\w.$]+):")


def live_registers(
    lines: list[str],
    functions: set[str],
    named: Callable[[str], int],
    plain: re.Pattern[str],
) -> list[int]:
    """For each line the registers that may hold something before it. Of lines of inline assembly,
    too: they are given as instructions, one a line."""
    at_label: dict[str, int] = {}
    anywhere = 0  # what a computed jump brings along
    result = [0] * len(lines)
    while True:
        changed = False
        state = 0

        def goes_to(label: str, mask: int) -> None:
            nonlocal changed
            label = re.sub(r"^(\d+)[bf]$", r"\1", label)
            if mask | at_label.get(label, 0) != at_label.get(label, 0):
                at_label[label] = mask | at_label.get(label, 0)
                changed = True

        for number, raw in enumerate(lines):
            line = raw.split("#", 1)[0].strip()
            if match := _LABEL.match(line):
                label = match.group(1)
                goes_to(label, state | anywhere | (_ARGUMENTS if label in functions else 0))
                state = at_label.get(label, 0)
                line = line[match.end() :].strip()
            result[number] = state
            if not line or line.startswith("."):
                continue
            name, _, operands = re.sub(r"\s+", " ", line).partition(" ")
            if name.startswith("call"):
                called = operands.split("@")[0]
                if _GIVES_NOTHING.fullmatch(called):
                    state = 0
                else:
                    state = _RESULT if _GIVES_AN_INTEGER.fullmatch(called) else _RESULTS
            elif name.startswith("j"):
                if operands.startswith("*"):
                    changed |= anywhere | state != anywhere
                    anywhere |= state
                else:
                    goes_to(operands, state)
                state = 0 if name == "jmp" else state
            elif name.startswith("ret"):
                state = 0
            else:
                state |= named(line)
                state |= 0 if plain.fullmatch(name) else _NAMED_BY_NONE
        if not changed:
            return result
