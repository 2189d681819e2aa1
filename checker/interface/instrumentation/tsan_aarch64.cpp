// SPDX-License-Identifier: MIT
// Entry points that look for repeated states: each keeps the registers that a call preserves, and
// the stack pointer, for private_state, then goes on to the function of the same name with
// `fencepost_` in front. The return address stays in x30; x16 and x17 are free where functions
// begin.
#include "machine/machine.hpp"

#define FENCEPOST_ENTRY_TO(symbol, target)                                           \
  asm(".text\n.balign 4\n.globl " #symbol "\n.type " #symbol ", %function\n" #symbol \
      ":\n"                                                                          \
      "  adrp x16, fencepost_saved_registers\n"                                      \
      "  add x16, x16, :lo12:fencepost_saved_registers\n"                            \
      "  mov x17, sp\n"                                                              \
      "  stp x17, x19, [x16]\n"                                                      \
      "  stp x20, x21, [x16, #16]\n"                                                 \
      "  stp x22, x23, [x16, #32]\n"                                                 \
      "  stp x24, x25, [x16, #48]\n"                                                 \
      "  stp x26, x27, [x16, #64]\n"                                                 \
      "  stp x28, x29, [x16, #80]\n"                                                 \
      "  stp d8, d9, [x16, #96]\n"                                                   \
      "  stp d10, d11, [x16, #112]\n"                                                \
      "  stp d12, d13, [x16, #128]\n"                                                \
      "  stp d14, d15, [x16, #144]\n"                                                \
      "  b " #target "\n.size " #symbol ", .-" #symbol "\n")

// Uses what has just been defined.
#include "interface/instrumentation/tsan_entries.hpp"
