// SPDX-License-Identifier: MIT
// System calls made directly: the checker replaces the C library's entry points for some of them.
#pragma once

#include <sys/syscall.h>
#include <time.h>

namespace fencepost::checker::kernel {

inline long call(long number, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0, long f = 0) {
#if defined(__x86_64__)
  register long r10 asm("r10") = d;
  register long r8 asm("r8") = e;
  register long r9 asm("r9") = f;
  long result;
  asm volatile("syscall"
               : "=a"(result)
               : "0"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
               : "rcx", "r11", "memory");
  return result;
#else
#error "the checker runs on x86-64"
#endif
}

inline double seconds() {
  timespec now{};
  call(SYS_clock_gettime, CLOCK_MONOTONIC, reinterpret_cast<long>(&now));
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

}  // namespace fencepost::checker::kernel
