// SPDX-License-Identifier: MIT
// System calls made directly: the checker replaces the C library's entry points for some of them.
#pragma once

#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>

#include <initializer_list>

namespace fencepost::checker::kernel {

// Returns what the kernel returns: the negated error number where it fails. Defined beside the rest
// that depends on the processor, in x86_64.cpp and aarch64.cpp.
long call(long number, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0, long f = 0);

inline double seconds() {
  timespec now{};
  call(SYS_clock_gettime, CLOCK_MONOTONIC, reinterpret_cast<long>(&now));
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

inline rusage usage(int of_whom) {
  rusage usage{};
  call(SYS_getrusage, of_whom, reinterpret_cast<long>(&usage));
  return usage;
}

// Of this process and those that it started and waited for.
inline double cpu_seconds() {
  double sum = 0;
  for (int of_whom : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    const rusage used = usage(of_whom);
    for (const timeval& time : {used.ru_utime, used.ru_stime}) {
      sum += static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
    }
  }
  return sum;
}

}  // namespace fencepost::checker::kernel
