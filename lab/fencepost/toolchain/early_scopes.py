# SPDX-License-Identifier: MIT
"""Announces the scopes of local variables whose address goes elsewhere, as gcc's plugin does.

clang marks where the life of a variable begins and ends (`llvm.lifetime`). Parameters have no such
marks, nor has what a jump passes by: that ends where the function does. So does a parameter that
the caller puts on the stack, and which is written there.

Where the program gives a variable no first value clang gives it one, and marks that it did: there
the runtime gives it another (checker/execution/lifetimes/uninitialised.cpp).

An object ends with its destructor, which is told how many bytes it has. One without members has
one byte, too, in which another object may lie: so those of one byte are left out.

Arrays of variable length, and what `alloca` gives, end where the stack goes back, which clang has
saved at the beginning of their scope, or with their function
(checker/execution/lifetimes/stack/stack_blocks.cpp).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from fencepost.toolchain.llvm import (
    ALLOCA,
    BITCAST,
    CALL,
    FUNCTION_ATTRIBUTES,
    GEP,
    LANDING_PAD,
    RESUME,
    RETURN,
    STORE,
    Llvm,
)

BEGINS, ENDS = b"__fencepost_scope_begins", b"__fencepost_scope_ends"
BLOCK_BEGINS = b"__fencepost_block_begins"
SAVED, RESTORED = b"__fencepost_stack_saved", b"__fencepost_stack_restored"
UNWOUND = b"__fencepost_stack_unwound"
UNWRITTEN, WRITTEN = b"__fencepost_unwritten", b"__tsan_write_range"
OBJECT_ENDS = b"__fencepost_object_ends"
_MARKS = {"llvm.lifetime.start": BEGINS, "llvm.lifetime.end": ENDS}

#: Puts a call of that function before an instruction, with an address and a size if they are given.
Announce = Callable[..., None]


def is_the_librarys(file: str) -> bool:
    """Installed headers, and those that stand in for some of libstdc++'s."""
    return (
        file.startswith("/usr/include/")
        or "/include/c++/" in file
        or "/checker/interface/cxx_library/headers/" in file
    )


#: What destroys an object, but not its virtual bases, as the Itanium ABI names it.
_DESTRUCTOR = re.compile(r"_Z.*D2Ev")
#: A name that ends so, with the digits that tell its length, is another function's.
_ENDS_ALIKE = re.compile(r"(\d+)([A-Za-z_]\w*D2)Ev")


def is_destructor(name: str) -> bool:
    """Whether a function is one, by its name for the linker."""
    if not _DESTRUCTOR.fullmatch(name):
        return False
    return not any(
        digits.endswith(str(len(last)))
        for start in range(len(name))
        if (found := _ENDS_ALIKE.fullmatch(name, start))
        for digits, last in [found.groups()]
    )


class Scopes:
    """Announces the scopes of local variables in the functions of one module."""

    def __init__(
        self,
        llvm: Llvm,
        layout: int,
        size_type: int,
        byte_type: int,
        builder: int,
        goes_nowhere: Callable[[int], bool],
    ) -> None:
        self._llvm = llvm
        self._layout = layout
        self._size_type = size_type
        self._byte_type = byte_type
        self._builder = builder
        self._goes_nowhere = goes_nowhere
        self._made_up = llvm.GetMDKindID(b"annotation", 10)
        self._bytes_there = llvm.GetEnumAttributeKindForName(b"dereferenceable", 15)
        self._byval = llvm.GetEnumAttributeKindForName(b"byval", 5)
        self._nounwind = llvm.GetEnumAttributeKindForName(b"nounwind", 8)
        self._noinline = llvm.GetEnumAttributeKindForName(b"noinline", 8)
        self._always_inline = llvm.GetEnumAttributeKindForName(b"alwaysinline", 12)

    def announce(self, function: int, call: Announce) -> None:
        """`call` puts the calls in."""
        llvm = self._llvm
        told = set()

        def announce(mark: bytes, *rest: int) -> None:
            told.add(mark)
            call(mark, *rest)

        blocks = list(llvm.each("BasicBlock", function))
        if not blocks:
            return
        code = [one for block in blocks for one in llvm.each("Instruction", block)]
        first = next(one for one in code if llvm.GetInstructionOpcode(one) != ALLOCA)
        ends = [end for block in blocks if (end := self._end(block))]
        unmarked = self._announce_marked(code, first, announce)
        passed: list[tuple[int, int]] = []
        for number, parameter in enumerate(llvm.each("Param", function)):
            size = self._size_on_stack(function, number)
            if size and not self._goes_nowhere(parameter):
                unmarked.append((parameter, size))
                passed.append((parameter, size))
        for variable, size in unmarked:
            for place, mark in ((first, BEGINS), *((end, ENDS) for end in ends)):
                announce(mark, place, variable, size)
        for parameter, size in passed:
            announce(WRITTEN, first, parameter, size)
        self._announce_destruction(function, ends, announce)
        self._announce_blocks(code, first, ends, announce)
        for block in blocks:
            self._announce_first_values(block, announce)
        for one in code:
            if llvm.GetInstructionOpcode(one) == LANDING_PAD:
                announce(UNWOUND, llvm.GetNextInstruction(one))
        if not told.isdisjoint((BEGINS, BLOCK_BEGINS)):
            self._keep_below(function)

    def _keep_below(self, function: int) -> None:
        """What an exception leaves without a landing pad ends below the stack of who catches it
        (checker/execution/lifetimes/stack/stack_blocks.cpp), unless it was inlined there."""
        llvm = self._llvm
        if llvm.GetEnumAttributeAtIndex(function, FUNCTION_ATTRIBUTES, self._nounwind):
            return
        folder, file = (
            llvm.text(f"GetDebugLoc{part}", function) for part in ("Directory", "Filename")
        )
        if is_the_librarys(str(Path(folder, file))):
            return  # told by the place of who calls it
        llvm.RemoveEnumAttributeAtIndex(function, FUNCTION_ATTRIBUTES, self._always_inline)
        apart = llvm.CreateEnumAttribute(llvm.GetGlobalContext(), self._noinline, 0)
        llvm.AddAttributeAtIndex(function, FUNCTION_ATTRIBUTES, apart)

    def _announce_marked(
        self, code: list[int], first: int, announce: Announce
    ) -> list[tuple[int, int]]:
        """Returns the variables that have no marks, with their sizes."""
        unmarked = []
        for variable in code[: code.index(first)]:
            size = self._fixed_size(variable)
            if size is None or self._goes_nowhere(variable):
                continue
            marks = self._marks(variable)
            for call, mark in marks:
                announce(mark, call, variable, size)
            if not marks:
                unmarked.append((variable, size))
        return unmarked

    def _announce_destruction(self, function: int, ends: list[int], announce: Announce) -> None:
        llvm = self._llvm
        if not is_destructor(llvm.text("GetValueName2", function)):
            return
        attribute = llvm.GetEnumAttributeAtIndex(function, 1, self._bytes_there)
        size = llvm.GetEnumAttributeValue(attribute) if attribute else 0
        if size is not None and size > 1:
            for end in ends:
                bytes_there = int(llvm.ConstInt(self._size_type, size, 0))
                announce(OBJECT_ENDS, end, llvm.GetFirstParam(function), bytes_there)

    def _announce_blocks(
        self, code: list[int], first: int, ends: list[int], announce: Announce
    ) -> None:
        """Announces the blocks that the function takes from the stack as it runs."""
        llvm = self._llvm
        fixed = code[: code.index(first)]
        taken = [
            one
            for one in code
            if llvm.GetInstructionOpcode(one) == ALLOCA
            and (one not in fixed or self._fixed_size(one) is None)
            and not self._goes_nowhere(one)
        ]
        if not taken:
            return
        for block in taken:
            following = llvm.GetNextInstruction(block)
            announce(BLOCK_BEGINS, following, block, self._taken_size(block, following))
        for call in code:
            if self._calls(call, "llvm.stacksave"):
                announce(SAVED, llvm.GetNextInstruction(call), call)
            elif self._calls(call, "llvm.stackrestore"):
                announce(RESTORED, call, llvm.GetOperand(call, 0))
        # A variable of its own stands for the function, wherever that is inlined.
        llvm.PositionBuilderBefore(self._builder, code[0])
        frame = llvm.BuildAlloca(self._builder, self._byte_type, b"")
        announce(SAVED, first, frame)
        for end in ends:
            announce(RESTORED, end, frame)

    def _announce_first_values(self, block: int, announce: Announce) -> None:
        """Announces what clang has filled in this block, behind the last part of each variable."""
        llvm = self._llvm
        filled = {}
        for one in llvm.each("Instruction", block):
            if llvm.GetInstructionOpcode(one) not in (STORE, CALL):
                continue
            if llvm.GetMetadata(one, self._made_up):
                is_store = llvm.GetInstructionOpcode(one) == STORE
                filled[self._whole(llvm.GetOperand(one, 1 if is_store else 0))] = one
        for variable, last in filled.items():
            if not llvm.IsAAllocaInst(variable) or self._goes_nowhere(variable):
                continue
            if (size := self._fixed_size(variable)) is not None:
                announce(UNWRITTEN, llvm.GetNextInstruction(last), variable, size)

    def _whole(self, address: int) -> int:
        llvm = self._llvm
        while llvm.IsAInstruction(address) and llvm.GetInstructionOpcode(address) in (BITCAST, GEP):
            address = llvm.GetOperand(address, 0)
        return address

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
            else:
                mark = next((m for name, m in _MARKS.items() if self._calls(user, name)), None)
                if mark:
                    found.append((user, mark))
        return found

    def _calls(self, instruction: int, intrinsic: str) -> bool:
        llvm = self._llvm
        if llvm.GetInstructionOpcode(instruction) != CALL:
            return False
        called = llvm.GetCalledValue(instruction)
        return bool(llvm.IsAFunction(called)) and llvm.text("GetValueName2", called).startswith(
            intrinsic
        )

    def _fixed_size(self, variable: int) -> int | None:
        """What a variable takes, as a constant of LLVM's, if that is one."""
        llvm = self._llvm
        count = llvm.GetOperand(variable, 0)
        if not llvm.IsAConstantInt(count):
            return None
        times = llvm.ConstIntGetZExtValue(count) or 0
        return int(llvm.ConstInt(self._size_type, self._size_of_each(variable) * times, 0))

    def _taken_size(self, block: int, before: int) -> int:
        """Computes before an instruction what a block takes."""
        llvm = self._llvm
        llvm.PositionBuilderBefore(self._builder, before)
        count = llvm.GetOperand(block, 0)
        count = llvm.BuildZExtOrBitCast(self._builder, count, self._size_type, b"")
        each = llvm.ConstInt(self._size_type, self._size_of_each(block), 0)
        return int(llvm.BuildMul(self._builder, count, each, b""))

    def _size_of_each(self, variable: int) -> int:
        llvm = self._llvm
        return llvm.ABISizeOfType(self._layout, llvm.GetAllocatedType(variable)) or 0

    def _size_on_stack(self, function: int, number: int) -> int:
        """What the caller puts on the stack for a parameter, as a constant of LLVM's, or 0."""
        llvm = self._llvm
        attribute = llvm.GetEnumAttributeAtIndex(function, number + 1, self._byval)
        if not attribute:
            return 0
        size = llvm.ABISizeOfType(self._layout, llvm.GetTypeAttributeValue(attribute))
        return int(llvm.ConstInt(self._size_type, size or 0, 0))

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
