# SPDX-License-Identifier: MIT
"""Announces the scopes of local variables whose address goes elsewhere, as gcc's plugin does.

clang marks where the life of a variable begins and ends (`llvm.lifetime`). Parameters have no such
marks, nor has what a jump passes by: that ends where the function does.
"""

from __future__ import annotations

from collections.abc import Callable

from fencepost.llvm import ALLOCA, BITCAST, CALL, RESUME, RETURN, Llvm

BEGINS, ENDS = b"__fencepost_scope_begins", b"__fencepost_scope_ends"
_MARKS = {"llvm.lifetime.start": BEGINS, "llvm.lifetime.end": ENDS}

#: Puts a call of that function with an address and a size before an instruction.
Announce = Callable[[bytes, int, int, int], None]


class Scopes:
    """Of the functions of one module."""

    def __init__(
        self, llvm: Llvm, layout: int, size_type: int, goes_nowhere: Callable[[int], bool]
    ) -> None:
        self._llvm = llvm
        self._layout = layout
        self._size_type = size_type
        self._goes_nowhere = goes_nowhere

    def announce(self, function: int, announce: Announce) -> None:
        llvm = self._llvm
        blocks = list(llvm.each("BasicBlock", function))
        if not blocks:
            return
        entry = list(llvm.each("Instruction", blocks[0]))
        variables = [one for one in entry if llvm.GetInstructionOpcode(one) == ALLOCA]
        unmarked = []
        for variable in variables:
            if self._goes_nowhere(variable):
                continue
            marks = self._marks(variable)
            for call, mark in marks:
                announce(mark, call, variable, self._size(variable))
            if not marks:
                unmarked.append(variable)
        if not unmarked:
            return
        first = next(one for one in entry if llvm.GetInstructionOpcode(one) != ALLOCA)
        ends = [end for block in blocks if (end := self._end(block))]
        for variable in unmarked:
            for place, mark in ((first, BEGINS), *((end, ENDS) for end in ends)):
                announce(mark, place, variable, self._size(variable))

    def _marks(self, variable: int) -> list[tuple[int, bytes]]:
        """The calls that say where its life begins and ends."""
        llvm = self._llvm
        found = []
        for use in list(llvm.each("Use", variable)):
            user = llvm.GetUser(use)
            if not llvm.IsAInstruction(user):
                continue
            opcode = llvm.GetInstructionOpcode(user)
            if opcode == BITCAST:
                found += self._marks(user)
            elif opcode == CALL:
                called = llvm.GetCalledValue(user)
                name = llvm.text("GetValueName2", called) if llvm.IsAFunction(called) else ""
                mark = next((m for start, m in _MARKS.items() if name.startswith(start)), None)
                if mark:
                    found.append((user, mark))
        return found

    def _size(self, variable: int) -> int:
        llvm = self._llvm
        count = llvm.GetOperand(variable, 0)
        times = (llvm.ConstIntGetZExtValue(count) or 0) if llvm.IsAConstantInt(count) else 1
        each = llvm.ABISizeOfType(self._layout, llvm.GetAllocatedType(variable)) or 0
        return int(llvm.ConstInt(self._size_type, each * times, 0))

    def _end(self, block: int) -> int | None:
        """What ends the function there. A call whose result it returns may take its place."""
        llvm = self._llvm
        end = llvm.GetBasicBlockTerminator(block)
        if not end or llvm.GetInstructionOpcode(end) not in (RETURN, RESUME):
            return None
        before = llvm.GetPreviousInstruction(end)
        while before and llvm.GetInstructionOpcode(before) == BITCAST:
            before = llvm.GetPreviousInstruction(before)
        if before and llvm.GetInstructionOpcode(before) == CALL and llvm.IsTailCall(before):
            return int(before)
        return int(end)
