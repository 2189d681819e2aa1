# SPDX-License-Identifier: MIT
"""Tells clang's `__sync_*` builtins from other atomic operations.

clang makes `seq_cst` read-modify-writes of all of them. Most promise more, a full barrier for
everything before and after; `__sync_lock_test_and_set` promises less, and only acquires. So each
is a macro that calls a mark behind it, and the order of the operation before a mark is changed.
For gcc its plugin does this (checker/compiler/sync_builtins.hpp).
"""

from __future__ import annotations

from itertools import product
from pathlib import Path

from fencepost.toolchain.llvm import CALL, Llvm

#: The marks, and the orders that they stand for. The first has a flag
#: (checker/interface/instrumentation/tsan.cpp).
_ORDERS = {"__fencepost_full_barrier": 5 | 1 << 15, "__fencepost_acquires": 2}

_CHANGES = ("add", "sub", "or", "and", "xor", "nand")
_FULL_BARRIERS = (
    *(f"__sync_fetch_and_{change}" for change in _CHANGES),
    *(f"__sync_{change}_and_fetch" for change in _CHANGES),
    *("__sync_bool_compare_and_swap", "__sync_val_compare_and_swap", "__sync_swap"),
)
_ACQUIRES = ("__sync_lock_test_and_set",)
_SIZES = ("", "_1", "_2", "_4", "_8", "_16")


#: Of a system, so that nobody is warned of what is in it.
_HEADER = "fencepost_sync_builtins.h"


def _marked(mark: str) -> str:
    """A macro that marks what it is given."""
    declared = f'void {mark}(void) __asm__("{mark}") __attribute__((__nothrow__))'
    call = "__auto_type __fencepost_result = __VA_ARGS__"
    return f"#define {mark}_(...) __extension__({{{declared};{call};{mark}();__fencepost_result;}})"


def marked_builtins(directory: Path) -> list[str]:
    """The flags that make macros of the builtins, by a header in `directory`."""
    macros = [
        *(_marked(mark) for mark in _ORDERS),
        *(
            f"#define {name}{size}(...) {mark}_({name}{size}(__VA_ARGS__))"
            for mark, names in zip(_ORDERS, (_FULL_BARRIERS, _ACQUIRES), strict=True)
            for name, size in product(names, _SIZES)
        ),
    ]
    system = directory / "marks"
    system.mkdir(exist_ok=True)
    (system / _HEADER).write_text("\n".join(macros) + "\n")
    return ["-isystem", str(system), "-include", _HEADER]


def take_marks(llvm: Llvm, context: int, module: int) -> int | None:
    """Removes the marks, and gives the instrumented operations their orders. Returns a mark that
    has no operation before it, if there is one."""
    number = llvm.Int32TypeInContext(context)
    for mark, order in _ORDERS.items():
        value = llvm.ConstInt(number, order, 0)
        for use in llvm.each("Use", llvm.GetNamedFunction(module, mark.encode())):
            call = llvm.GetUser(use)
            operation = llvm.GetPreviousInstruction(call)
            while operation and not _is_operation(llvm, operation):
                operation = llvm.GetPreviousInstruction(operation)
            if not operation:
                return int(call)
            _tell_order(llvm, operation, value)
            llvm.InstructionEraseFromParent(call)
    return None


def _is_operation(llvm: Llvm, instruction: int) -> bool:
    if llvm.GetInstructionOpcode(instruction) != CALL:
        return False
    called = llvm.GetCalledValue(instruction)
    name = llvm.text("GetValueName2", called) if llvm.IsAFunction(called) else ""
    return name.startswith("__tsan_atomic")


def _tell_order(llvm: Llvm, operation: int, order: int) -> None:
    """A compare-exchange has two orders, the last of five arguments."""
    count = llvm.GetNumArgOperands(operation)
    for position in range(3 if count == 5 else 2, count):
        llvm.SetOperand(operation, position, order)
