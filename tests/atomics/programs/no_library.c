// SPDX-License-Identifier: MIT
//
// A program without any library but this one: no C library, no threads of it, no start-up code.
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>

void any_store(size_t, volatile void*, const void*, int) __asm__("__atomic_store");
void any_exchange(size_t, volatile void*, const void*, void*, int) __asm__("__atomic_exchange");

struct three {
  uint64_t a, b, c;
};

static void leave(long status) {
#if defined(__x86_64__)
  __asm__ volatile("syscall" : : "a"(SYS_exit_group), "D"(status) : "rcx", "r11", "memory");
#elif defined(__aarch64__)
  register long x8 __asm__("x8") = SYS_exit_group;
  register long x0 __asm__("x0") = status;
  __asm__ volatile("svc #0" : : "r"(x8), "r"(x0) : "memory");
#endif
  __builtin_trap();
}

void _start(void) {
  static struct three object;
  static _Alignas(16) uint64_t pair[2];
  struct three value = {1, 2, 3}, before = {9, 9, 9};
  uint64_t one[2] = {1, 1}, old[2] = {9, 9};
  any_store(sizeof object, &object, &value, __ATOMIC_SEQ_CST);
  any_exchange(sizeof object, &object, &before, &value, __ATOMIC_SEQ_CST);
  any_store(sizeof pair, pair, one, __ATOMIC_SEQ_CST);
  any_exchange(sizeof pair, pair, old, one, __ATOMIC_SEQ_CST);
  leave(value.a != 1 || value.c != 3 || object.b != 9 || one[0] != 1 || pair[1] != 9);
}
