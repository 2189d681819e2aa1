# SPDX-License-Identifier: MIT
"""LLVM's interface for C (llvm-c/Core.h): functions without their prefix, handles as numbers."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from typing import Any

#: What returns a number of 32 bits. Whatever is not here returns a handle, a pointer or nothing.
_NUMBERS = {
    "CreateMemoryBufferWithContentsOfFile",
    "GetDebugLocLine",
    "GetEnumAttributeKindForName",
    "GetInstructionCallConv",
    "GetInstructionOpcode",
    "GetIntrinsicID",
    "GetMDKindID",
    "GetMDNodeNumOperands",
    "GetNumArgOperands",
    "GetNumOperands",
    "GetOrdering",
    "GetPointerAddressSpace",
    "GetTypeKind",
    "IsDeclaration",
    "IsTailCall",
    "LookupIntrinsicID",
    "ParseIRInContext",
    "WriteBitcodeToFile",
}

# Opcodes and other constants of the interface.
RETURN, UNREACHABLE, ALLOCA, RESUME, LANDING_PAD = 1, 7, 26, 58, 59
INVOKE, LOAD, STORE, GEP, BITCAST, ICMP, CALL = 5, 27, 28, 29, 41, 42, 45
PHI, ADDRESS_SPACE_CAST = 44, 60
POINTER_TYPE, SCALABLE_VECTOR_TYPE = 12, 17
NOT_ATOMIC = 0
FUNCTION_ATTRIBUTES = 0xFFFFFFFF


class Llvm:
    """The functions of one libLLVM."""

    def __init__(self, library: str) -> None:
        self._library = ctypes.CDLL(library)

    def __getattr__(self, name: str) -> Callable[..., Any]:
        function = self._library["LLVM" + name]
        function.restype = ctypes.c_uint32 if name in _NUMBERS else ctypes.c_void_p

        def call(*arguments: Any) -> Any:
            # A plain number would be passed as 32 bits.
            return function(*(ctypes.c_void_p(a) if isinstance(a, int) else a for a in arguments))

        setattr(self, name, call)
        return call

    def text(self, function: str, *arguments: Any) -> str:
        """What a function returns that tells the length of its text by its last argument."""
        length = ctypes.c_size_t(0)
        start = getattr(self, function)(*arguments, ctypes.byref(length))
        return ctypes.string_at(start, length.value).decode() if start else ""

    def value_text(self, value: int) -> str:
        """A value as LLVM writes it."""
        start = self.PrintValueToString(value)
        try:
            return ctypes.string_at(start).decode(errors="replace")
        finally:
            self.DisposeMessage(start)

    def each(self, kind: str, parent: int | None) -> Iterator[int]:
        """The functions of a module, the blocks of a function, the instructions of a block, the
        uses of a value. What stands before or behind the current one may be changed."""
        one = getattr(self, "GetFirst" + kind)(parent) if parent else None
        while one:
            following = getattr(self, "GetNext" + kind)(one)
            yield one
            one = following
