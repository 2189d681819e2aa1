# SPDX-License-Identifier: MIT
"""What has to be known of a processor to compile, search and run a program for it."""

from __future__ import annotations

import os
import platform
import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass

from fencepost.console.input_error import UnusableInput


@dataclass(frozen=True)
class Machine:
    """A processor, by what compilers, linkers and assemblers say of it."""

    title: str  # how people write it
    names: frozenset[str]  # how compilers and the kernel write it
    elf_number: int
    triplet: str  # before the names of cross compilers and their tools
    emulator: str
    #: How a comment begins in the middle of a line of assembly.
    comment: str
    #: What an instruction of inline assembly becomes so that the checker sees what it does, None if
    #: it stays as it is. Raises Unsupported, without a place, where there is no model.
    translate: Callable[..., list[str] | None]
    #: Raises Unsupported, without a place, where the instructions of a statement, in lower case,
    #: and its labels do not fit together as `translate` takes for granted.
    require_modelled: Callable[[list[str]], None]
    #: For each line of assembly a set of the registers that may hold something, as `translate`
    #: needs it; given with the names of the functions.
    live_registers: Callable[[list[str], set[str]], list[int]]
    #: What may stand on a line of its own and belongs to the next instruction.
    prefixes: frozenset[str]
    #: An operand that may lie below the stack pointer, in a function that calls nothing.
    below_stack: re.Pattern[str] | None
    #: Registers that are not kept over what `translate` puts in place of an instruction.
    not_kept: re.Pattern[str] | None
    #: Those of `unseen` that are translated outside of inline assembly, too.
    fences: frozenset[str]
    #: Instructions that instrumented code never holds outside inline assembly unless an intrinsic
    #: or an uninstrumented function put them there.
    unseen: re.Pattern[str]
    #: Those among them that ask the world outside memory: not even code that is taken on trust may.
    asks_outside: re.Pattern[str]
    calls: tuple[str, ...]
    #: Notes a call and goes on to the function NAME, as if that had been called, with all arguments
    #: in place. The variable COUNT goes up; into the next of the sixteen pairs CALLS go what KEEP
    #: stores, from those below, and the return address.
    counted_call: str
    #: Goes on to the function NAME, as if that had been called with the address TEXT alone.
    call_with_text: str
    #: Calls LABEL, wherever the stack pointer is, and does not come back.
    ends_at: tuple[str, ...]
    #: What KEEP may be: the register of an argument plus a number; nothing.
    keeps_object: str
    keeps_nothing: str
    #: The register of the first argument, and that of a member function's object if what it returns
    #: is no value: where that is to lie is told before it, or apart.
    first_argument: str
    object_behind_result: str

    def keeps(self, returns_object: bool, plus: int) -> str:
        """Return the KEEP for a member function: it stores the object's address plus `plus`."""
        register = self.object_behind_result if returns_object else self.first_argument
        return self.keeps_object.replace("OBJECT", register).replace("PLUS", str(plus))

    @property
    def is_here(self) -> bool:
        return platform.machine() in self.names

    def tool(self, name: str) -> str:
        return name if self.is_here else f"{self.triplet}-{name}"

    def launcher(self) -> list[str]:
        """What stands before the name of an executable for this machine to run it here."""
        if self.is_here:
            return []
        if shutil.which(self.emulator) is None:
            raise UnusableInput(
                f"a program for {self.title} cannot be run here: there is no {self.emulator} "
                "(package qemu-user)"
            )
        chosen = "QEMU_LD_PREFIX" in os.environ
        return [self.emulator] if chosen else [self.emulator, "-L", f"/usr/{self.triplet}"]
