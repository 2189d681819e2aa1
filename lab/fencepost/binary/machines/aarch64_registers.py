# SPDX-License-Identifier: MIT
"""Which registers may hold something that the program will look at, on AArch64.

Whether a loop is back where it was depends on them where inline assembly stands. A register counts
if it may be read before it is overwritten, and was not left there by a call that gives it to
nobody.
"""

from __future__ import annotations

import re
from collections import defaultdict

#: The bit of all vector registers.
VECTORS = 1 << 31

_GENERAL = (1 << 31) - 1
_ARGUMENTS = (1 << 9) - 1  # x8 is where a large result goes
_KEPT = sum(1 << number for number in range(19, 30))
_SCRATCH = 1 << 16 | 1 << 17
_RETURN = 1 << 30

_LABEL = re.compile(r"([\w.$]+):")
_REGISTER = re.compile(r"\b[wx](\d+)\b")
_VECTOR = re.compile(r"\b[vqdshb](?:[0-7]|1[6-9]|2\d|3[01])\b")
#: The first register is overwritten whole, the others are read.
_OVERWRITES = re.compile(
    r"(?:mov[zn]?|mvn|adrp?|adds?|subs?|ands?|orr|orn|eor|eon|bics?|negs?|lsl|lsr|asr|ror|mul|madd|msub"
    r"|[us]bfx|[us]xt[bhw]|sxtw|csel|cset|csinc|cinc|clz|ldr(?:s?[bhw])?|ldurs?[bhw]?|ldapr[bh]?|ldar[bh]?"
    r"|lda?xr[bh]?|stl?xr[bh]?)(?=\s)"
)
_OVERWRITES_TWO = re.compile(r"(?:ldp|lda?xp)(?=\s)")
_CALL = re.compile(r"bl (\S+)$|blr ")
_MAY_JUMP = re.compile(
    r"(?:b\.?(?:eq|ne|cs|cc|hs|lo|mi|pl|vs|vc|hi|ls|ge|lt|gt|le)|[ct]bn?z)(?=\s)"
)
_TAKES = (
    (re.compile(r"__tsan_(?:func_exit|init)|sched_yield|thrd_yield|pthread_self"), 0),
    (re.compile(r"__tsan_func_entry|__tsan_(?!atomic)\w*(?:read|write)\d+"), 1),
    (re.compile(r"__tsan_\w+"), (1 << 6) - 1),
    (re.compile(r"fencepost_\w+_by_assembly"), _GENERAL),
)
_GIVES_NOTHING = re.compile(
    r"__tsan_(?!atomic)\w+|__tsan_atomic\w+_store|__tsan_atomic_\w+_fence|free|abort|exit"
)


def _without_comment(line: str) -> str:
    return re.sub(r"\s+", " ", line.split("//", 1)[0]).strip()


def registers_in(text: str) -> int:
    return sum({1 << int(number) for number in _REGISTER.findall(text) if int(number) < 31})


class _Analysis:
    def __init__(self, lines: list[str], functions: set[str]) -> None:
        self._lines = [_without_comment(line) for line in lines]
        self._functions = functions
        self._held_at: dict[str, int] = defaultdict(int)
        self._wanted_at: dict[str, int] = defaultdict(int)
        self._anywhere = 0  # what a computed jump brings along
        self.held = [0] * len(lines)
        self.wanted = [0] * len(lines)

    def run(self) -> list[int]:
        while True:
            known = dict(self._held_at), dict(self._wanted_at), self._anywhere
            self._forward()
            self._backward()
            if known == (self._held_at, self._wanted_at, self._anywhere):
                return [one & other for one, other in zip(self.held, self.wanted, strict=True)]

    def _forward(self) -> None:
        """Which registers hold more than what a call has left there."""
        state = 0
        for number, line in enumerate(self._lines):
            if match := _LABEL.match(line):
                if match[1] in self._functions:
                    state |= _ARGUMENTS | _KEPT | _RETURN
                self._held_at[match[1]] |= state | self._anywhere
                state = self._held_at[match[1]]
                line = line[match.end() :].strip()
            self.held[number] = state
            if line and not line.startswith("."):
                state = self._held_after(line, state)

    def _held_after(self, line: str, state: int) -> int:
        name = line.partition(" ")[0]
        if match := _CALL.match(line):
            called = match[1] or ""
            given = 0 if _GIVES_NOTHING.fullmatch(called) else 0b11
            return state & _KEPT | given | _RETURN
        if name in ("ret", "br"):
            self._anywhere |= state if name == "br" else 0
            return 0
        if name == "b" or _MAY_JUMP.match(line):
            self._held_at[_target(line)] |= state
            return 0 if name == "b" else state
        return state | registers_in(line)

    def _backward(self) -> None:
        """Which registers may be read."""
        state = 0
        for number in range(len(self._lines) - 1, -1, -1):
            line = self._lines[number]
            match = _LABEL.match(line)
            code = line[match.end() :].strip() if match else line
            if code and not code.startswith("."):
                state = self._wanted_before(code, state)
            if match:
                self._wanted_at[match[1]] |= state
            self.wanted[number] = state

    def _wanted_before(self, line: str, state: int) -> int:
        name = line.partition(" ")[0]
        if match := _CALL.match(line):
            return self._taken(match[1] or "") | state & _KEPT | registers_in(line)
        if name == "ret":
            return _KEPT | _RETURN | 0b11
        if name == "br":
            return _GENERAL
        if name == "b":
            target = _target(line)
            inside = re.match(r"\d|\.L", target) or target in self._functions
            return self._wanted_at[target] if inside else self._taken(target) | _KEPT | _RETURN
        if _MAY_JUMP.match(line):
            return state | self._wanted_at[_target(line)] | registers_in(line)
        return _wanted_by(line, state)

    def _taken(self, called: str) -> int:
        if called in self._functions:
            return self._wanted_at[called] & (_ARGUMENTS | _SCRATCH)
        return next((mask for names, mask in _TAKES if names.fullmatch(called)), _ARGUMENTS)


def _target(line: str) -> str:
    return re.sub(r"^(\d+)[bf]$", r"\1", line.split(" ")[-1].split(",")[-1])


def _wanted_by(line: str, state: int) -> int:
    operands = line.partition(" ")[2].split(",")
    written = 2 if _OVERWRITES_TWO.match(line) else 1 if _OVERWRITES.match(line) else 0
    for operand in operands[:written]:
        state &= ~registers_in(operand)
    return state | registers_in(",".join(operands[written:]))


def live_registers(lines: list[str], functions: set[str]) -> list[int]:
    """For each line the registers that may hold something before it, a bit each; all vector
    registers are one, and count where a function names one that a call does not preserve."""
    live = _Analysis(lines, functions).run()
    begin, vectors = 0, False
    for number, line in enumerate([*lines, ""]):
        text = _without_comment(line)
        if number == len(lines) or text.rstrip(":") in functions:
            if vectors:
                live[begin:number] = [one | VECTORS for one in live[begin:number]]
            begin, vectors = number, False
        elif not text.startswith(".") and _VECTOR.search(text.partition(" ")[2]):
            vectors = True
    return live
