# SPDX-License-Identifier: MIT
"""The instructions that a call executes, one by one.

The order is an argument, so the text of a function alone does not tell which of its instructions
serve which order. So it is called: a program calls every function with every order, an emulator
writes down where each instruction was, and the disassembly says what it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from fencepost.runners.atomics.executed import disassembled, executed_by, symbols_of
from runtimes import Runtime, sh

ORDERS = ("relaxed", "consume", "acquire", "release", "acq_rel", "seq_cst")


@dataclass(frozen=True)
class Call:
    """One call of an exported function; `operation` and `order` are what it must be able to."""

    function: str
    operation: str
    order: str
    size: int
    fails: bool = False  # a compare-exchange whose object holds something else
    failure: str = ""

    def __str__(self) -> str:
        orders = self.order + (f"/{self.failure}" if self.failure else "")
        return f"{self.function}({self.size} bytes, {orders}{', fails' if self.fails else ''})"

    def in_c(self) -> tuple[str, str]:
        """The parameters and the arguments of this call."""
        word = f"u{self.size}"
        order = f"{ORDERS.index(self.order)}" if self.order else ""
        pair = f"{order}, {ORDERS.index(self.failure)}" if self.failure else ""
        expected = "&other" if self.fails else "&same"
        if self.function in ("__atomic_load", "__atomic_store", "__atomic_exchange"):
            private = "&same, &other" if self.operation == "exchange" else "&same"
            pointers = "void*, " * private.count("&")
            return f"size_t, void*, {pointers}int", f"{self.size}, &object, {private}, {order}"
        if self.function == "__atomic_compare_exchange":
            return (
                "size_t, void*, void*, void*, int, int",
                f"{self.size}, &object, {expected}, &value, {pair}",
            )
        if self.function == "atomic_thread_fence":
            return "int", order
        if self.function == "__sync_synchronize":
            return "void", ""
        if self.function.startswith("__sync_lock_release") or self.function.endswith(
            ("flag_test_and_set", "flag_clear")
        ):
            return "void*", "&object"
        if "compare_and_swap" in self.function:
            return f"void*, {word}, {word}", f"&object, {9 if self.fails else 0}, 1"
        if self.function.startswith("__sync"):
            return f"void*, {word}", "&object, 1"
        if self.operation == "compare_exchange":
            return f"void*, void*, {word}, int, int", f"&object, {expected}, 1, {pair}"
        if self.operation == "load" or "test_and_set" in self.function or "flag" in self.function:
            return "void*, int", f"&object, {order}"
        return f"void*, {word}, int", f"&object, 1, {order}"


def _program(calls: Sequence[Call], told: str) -> str:
    """Compilers know the functions by other types; here they have names of our own. `told` is the
    statement that says what the processor can do."""
    text = [
        "// SPDX-License-Identifier: MIT",
        "#include <stddef.h>",
        "#include <stdint.h>",
        "typedef uint8_t u1; typedef uint16_t u2; typedef uint32_t u4; typedef uint64_t u8;",
        "__extension__ typedef unsigned __int128 u16;",
        "typedef struct { _Alignas(64) volatile uint64_t word[8]; } line;",
        "static line object, same, other, value;",
        "void calls(void);",
        "static inline void reset(void) {",
        "  for (int n = 0; n < 8; ++n) object.word[n] = same.word[n] = 0, other.word[n] = 9;",
        "}",
    ]
    body = []
    for number, call in enumerate(calls):
        parameters, arguments = call.in_c()
        text.append(f'void f{number}({parameters}) __asm__("{call.function}");')
        body.append(f"  reset();\n  f{number}({arguments});")
    text += [f"void calls(void) {{\n{told}"]
    return "\n".join([*text, *body, "}", "int main(void) { calls(); return 0; }", ""])


def _told(library: Path, tools: str, features: int | None) -> str:
    """A library asks its processor once, and keeps the answer in a variable. An emulator may know
    less than the library; alone, a thread does not mind instructions that are not atomic."""
    if features is None:
        return ""
    listed = sh(f"{tools}nm", "--defined-only", library)
    name = set(re.findall(r"\b_Z\w+features_once_asked\w*", listed)).pop()
    return f'  extern uint32_t features __asm__("{name}");\n  features = {features};\n'


def instructions_of(
    runtime: Runtime,
    calls: Sequence[Call],
    folder: Path,
    library: Path,
    features: int | None = None,
) -> Iterator[tuple[Call, list[str]]]:
    """For each call the instructions it executed, as disassembled."""
    source, program, log = folder / "calls.c", folder / "calls", folder / "executed.log"
    source.write_text(_program(calls, _told(library, runtime.tools, features)))
    sh(
        *(f"{runtime.tools}gcc", "-std=c11", "-O1", "-fno-inline", "-static", "-no-pie"),
        *(source, library, "-o", program),
    )
    executed = executed_by(runtime.launcher, program, log)
    instructions = disassembled(runtime.tools, program)
    symbols = symbols_of(program, runtime.tools)
    begin, end = symbols["calls"]
    helper = symbols.get("reset", (0, 0))
    segments: list[list[int]] = []
    inside = False
    for place in executed:
        if begin <= place < end or helper[0] <= place < helper[1]:
            inside = True  # back in the caller, or before the first call
            if not segments or segments[-1]:
                segments.append([])
        elif inside:
            segments[-1].append(place)
    # What follows the last call is the end of the program.
    del segments[len(calls) :]
    assert len(segments) == len(calls)
    for call, places in zip(calls, segments, strict=True):
        assert symbols[call.function][0] <= places[0] < symbols[call.function][1]
        yield call, [instructions[place] for place in places]
