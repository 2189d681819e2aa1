// SPDX-License-Identifier: MIT
// Entry points that look for repeated states: each keeps the registers that a call preserves, and
// the stack pointer, for private_state, then goes on to the function of the same name with
// `fencepost_` in front. The return address stays where it is.
#include "machine/machine.hpp"

#define FENCEPOST_ENTRY_TO(symbol, target)                                \
  asm(".text\n.globl " #symbol "\n.type " #symbol ", @function\n" #symbol \
      ":\n"                                                               \
      "  mov %rsp, fencepost_saved_registers(%rip)\n"                     \
      "  addq $8, fencepost_saved_registers(%rip)\n"                      \
      "  mov %rbx, fencepost_saved_registers+8(%rip)\n"                   \
      "  mov %rbp, fencepost_saved_registers+16(%rip)\n"                  \
      "  mov %r12, fencepost_saved_registers+24(%rip)\n"                  \
      "  mov %r13, fencepost_saved_registers+32(%rip)\n"                  \
      "  mov %r14, fencepost_saved_registers+40(%rip)\n"                  \
      "  mov %r15, fencepost_saved_registers+48(%rip)\n"                  \
      "  jmp " #target "\n.size " #symbol ", .-" #symbol "\n")

// Uses what has just been defined.
#include "interface/instrumentation/tsan_entries.hpp"
