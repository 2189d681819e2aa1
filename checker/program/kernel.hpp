// SPDX-License-Identifier: MIT
// System calls made directly: the checker replaces the C library's entry points for some of them.
#pragma once

#include <sys/syscall.h>
#include <time.h>

namespace fencepost::checker::kernel {

// Returns what the kernel returns: the negated error number where it fails. Defined beside the rest
// that depends on the processor, in machine_*.cpp.
long call(long number, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0, long f = 0);

inline double seconds() {
  timespec now{};
  call(SYS_clock_gettime, CLOCK_MONOTONIC, reinterpret_cast<long>(&now));
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

}  // namespace fencepost::checker::kernel
