# SPDX-License-Identifier: MIT
"""Which registers may hold something that the program will look at, on x86-64.

A statement of inline assembly clobbers few registers, so where it stands any may be in use, and
whether a loop is back where it was depends on them. But most hold what a call of the checker left
there. A register counts if it may be read before it is overwritten, and if an instruction has named
it since the last call on some path, the call gives it back, or the function was called with it.
"""

from __future__ import annotations

import re
from collections import defaultdict

from fencepost.binary.machines.x86_64_assembly import registers_in

_ARGUMENTS = registers_in("%rax %rdi %rsi %rdx %rcx %r8 %r9 %r10") | 0xFF << 16
_RESULT = registers_in("%rax")
_RESULTS = registers_in("%rax %rdx %xmm0 %xmm1")
#: What instructions use that do not name it.
_UNNAMED = registers_in("%rax %rcx %rdx %rsi %rdi")
_NAMES_ALL = re.compile(
    r"(?:mov|lea|add|sub|and|or|xor|cmp(?!xchg)|test|inc|dec|neg|not|sh|sa|ro|xchg|xadd|bs|bt|set|cmov|push"
    r"|pop|nop|pause|endbr|prefetch|lock (?!cmpxchg)|[mls]fence|p?xor|cvt)\w*(?:\s|$)"
)

_GIVES_NOTHING = re.compile(
    r"__tsan_(?!atomic)\w+|__tsan_atomic\w+_store|__tsan_atomic_\w+_fence|free|abort|exit"
)
_GIVES_AN_INTEGER = re.compile(
    r"__tsan_atomic(?:8|16|32|64)_\w+|sched_yield|thrd_yield|pthread_\w+|sem_\w+|u?sleep|nanosleep"
    r"|malloc|calloc|printf|puts|syscall"
)
_LABEL = re.compile(r"([\w.$]+):")
#: Words before a jump that change nothing of where it goes.
_PREFIX = re.compile(r"(?:notrack|bnd) ")
#: What gcc jumps by where a jump is not to be predicted.
_THUNK = re.compile(r"__x86_(?:indirect|return)_thunk.*")


#: A register, whole, and what it is made of.
_OVERWRITES = re.compile(
    r"(?:mov[lq]|movabsq|lea[lq]|movz[bw][lq]|movs[bwl][lq]) (.*), ?(%(?:[er]\w\w|r\d+d?))"
)
_CLEARS = re.compile(r"xorl (%\w+), ?\1")
_TAKES = (
    (re.compile(r"__tsan_func_exit|__tsan_init"), 0),
    (re.compile(r"__tsan_func_entry|__tsan_(?!atomic)\w*(?:read|write)\d+"), registers_in("%rdi")),
    (re.compile(r"__tsan_\w+"), registers_in("%rdi %rsi %rdx %rcx %r8 %r9")),
    (re.compile(r"sched_yield|thrd_yield|pthread_self"), 0),
)


def _without_comment(line: str) -> str:
    return _PREFIX.sub("", re.sub(r"\s+", " ", line.split("#", 1)[0]).strip(), count=1)


class _Analysis:
    def __init__(self, lines: list[str], functions: set[str]) -> None:
        self._lines = lines
        self._functions = functions
        self._at_label: dict[str, int] = defaultdict(int)
        self._at_return: dict[str, int] = defaultdict(int)
        self._anywhere = 0  # what a computed jump brings along
        self._wanted_at: dict[str, int] = defaultdict(int)
        self.before = [0] * len(lines)
        self.wanted = [0] * len(lines)

    def run(self) -> None:
        while True:
            known = dict(self._at_label), dict(self._at_return), self._anywhere
            wanted = dict(self._wanted_at)
            self._pass_once()
            self._pass_back()
            now = self._at_label, self._at_return, self._anywhere
            if known == now and wanted == self._wanted_at:
                return

    def _pass_back(self) -> None:
        state = 0
        for number in range(len(self._lines) - 1, -1, -1):
            line = _without_comment(self._lines[number])
            match = _LABEL.match(line)
            code = line[match.end() :].strip() if match else line
            if code and not code.startswith("."):
                state = self._wanted_before(code, state)
            if match:
                self._wanted_at[match[1]] |= state
            self.wanted[number] = state

    def _wanted_before(self, line: str, state: int) -> int:
        name, _, operands = line.partition(" ")
        target = operands.split("@")[0]
        if name.startswith("call"):
            return ~0 if target.startswith(".L") else self._taken(target)
        if name.startswith("ret"):
            return _RESULTS
        if name.startswith("j"):
            label = re.sub(r"^(\d+)[bf]$", r"\1", target)
            if target.startswith("*") or _THUNK.fullmatch(target):
                there = ~0
            elif re.match(r"\d|\.L", label):
                there = self._wanted_at[label]
            else:
                there = self._taken(label)
            return there if name == "jmp" else there | state
        if match := _OVERWRITES.fullmatch(line):
            return state & ~registers_in(match[2]) | registers_in(match[1])
        if match := _CLEARS.fullmatch(line):
            return state & ~registers_in(match[1])
        return state | registers_in(line) | (0 if _NAMES_ALL.match(line) else _UNNAMED)

    def _taken(self, called: str) -> int:
        if called in self._functions:
            return self._wanted_at[called]
        return next((mask for names, mask in _TAKES if names.fullmatch(called)), _ARGUMENTS)

    def _pass_once(self) -> None:
        state, function = 0, ""
        for number, raw in enumerate(self._lines):
            line = _without_comment(raw)
            if match := _LABEL.match(line):
                label = match[1]
                if label in self._functions:
                    state |= _ARGUMENTS
                    function = label
                state |= self._anywhere
                self._at_label[label] |= state
                state = self._at_label[label]
                line = line[match.end() :].strip()
            self.before[number] = state
            if line and not line.startswith("."):
                state = self._after(line, state, function)

    def _after(self, line: str, state: int, function: str) -> int:
        name, _, operands = line.partition(" ")
        target = operands.split("@")[0]
        if name.startswith("call"):
            return ~0 if target.startswith(".L") else self._given_back(target)
        if name.startswith("ret"):
            self._at_return[function] |= state & _RESULTS
            return 0
        if name.startswith("j"):
            label = re.sub(r"^(\d+)[bf]$", r"\1", target)
            if target.startswith("*") or _THUNK.fullmatch(target):
                self._anywhere |= state
                self._at_return[function] |= _RESULTS
            elif re.match(r"\d|\.L", label):
                self._at_label[label] |= state
            else:  # another function is called instead of returning
                self._at_return[function] |= self._given_back(label)
            return 0 if name == "jmp" else state
        unnamed = 0 if _NAMES_ALL.match(line) else _UNNAMED
        return state | registers_in(line) | unnamed

    def _given_back(self, called: str) -> int:
        if _GIVES_NOTHING.fullmatch(called):
            return 0
        if called in self._functions:
            return self._at_return[called]
        return _RESULT if _GIVES_AN_INTEGER.fullmatch(called) else _RESULTS


def live_registers(lines: list[str], functions: set[str]) -> list[int]:
    """For each line the registers that may hold something before it, a bit each. Inline assembly
    is given one instruction a line."""
    analysis = _Analysis(lines, functions)
    analysis.run()
    return [held & wanted for held, wanted in zip(analysis.before, analysis.wanted, strict=True)]
