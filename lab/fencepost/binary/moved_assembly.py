# SPDX-License-Identifier: MIT
"""What is said of inline assembly that a compiler may move."""

#: How the refusal of inline assembly begins that a compiler need not leave where it is written;
#: gcc's plugin has the same words (checker/compiler/assembly_operands.hpp).
MAY_BE_MOVED = (
    "inline assembly accesses memory, and the compiler may move it or other accesses across it"
)
MUST_STAY = f"{MAY_BE_MOVED}: write 'asm volatile' with '\"memory\"' among its clobbers"
