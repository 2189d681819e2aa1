// SPDX-License-Identifier: MIT
// Entry points that look for repeated states: each keeps the registers that a call preserves, and
// the stack pointer, for Runtime::private_state, then goes on to the function of the same name with
// `fencepost_` in front. The return address stays in x30; x16 and x17 are free where functions
// begin.
#include "program/machine.hpp"

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

#define FENCEPOST_ENTRY(symbol) FENCEPOST_ENTRY_TO(symbol, fencepost_##symbol)

#define FENCEPOST_ENTRIES(bits)                                   \
  FENCEPOST_ENTRY(__tsan_atomic##bits##_load);                    \
  FENCEPOST_ENTRY(__tsan_atomic##bits##_exchange);                \
  FENCEPOST_ENTRY(__tsan_atomic##bits##_fetch_add);               \
  FENCEPOST_ENTRY(__tsan_atomic##bits##_fetch_sub);               \
  FENCEPOST_ENTRY(__tsan_atomic##bits##_fetch_and);               \
  FENCEPOST_ENTRY(__tsan_atomic##bits##_fetch_or);                \
  FENCEPOST_ENTRY(__tsan_atomic##bits##_fetch_xor);               \
  FENCEPOST_ENTRY(__tsan_atomic##bits##_fetch_nand);              \
  FENCEPOST_ENTRY(__tsan_atomic##bits##_compare_exchange_strong); \
  FENCEPOST_ENTRY(__tsan_atomic##bits##_compare_exchange_weak);   \
  FENCEPOST_ENTRY(__tsan_atomic##bits##_compare_exchange_val)

FENCEPOST_ENTRIES(8);
FENCEPOST_ENTRIES(16);
FENCEPOST_ENTRIES(32);
FENCEPOST_ENTRIES(64);
FENCEPOST_ENTRIES(128);
FENCEPOST_ENTRY(pthread_mutex_trylock);
FENCEPOST_ENTRY(mtx_trylock);
FENCEPOST_ENTRY(pthread_mutex_lock);
FENCEPOST_ENTRY(mtx_lock);
FENCEPOST_ENTRY(pthread_spin_lock);
FENCEPOST_ENTRY(pthread_spin_trylock);
FENCEPOST_ENTRY(pthread_rwlock_rdlock);
FENCEPOST_ENTRY(pthread_rwlock_tryrdlock);
FENCEPOST_ENTRY(pthread_rwlock_wrlock);
FENCEPOST_ENTRY(pthread_rwlock_trywrlock);
FENCEPOST_ENTRY(sem_trywait);
FENCEPOST_ENTRY(sem_getvalue);
// The C++ library's count of waiters, see tsan.cpp.
FENCEPOST_ENTRY_TO(fencepost_library_atomic32_load, fencepost_fenced_load32);
FENCEPOST_ENTRY_TO(fencepost_library_atomic32_fetch_add, fencepost_fenced_fetch_add32);
FENCEPOST_ENTRY_TO(fencepost_library_atomic64_load, fencepost_fenced_load64);
FENCEPOST_ENTRY_TO(fencepost_library_atomic64_fetch_add, fencepost_fenced_fetch_add64);
