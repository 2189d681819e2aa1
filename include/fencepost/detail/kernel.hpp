// SPDX-License-Identifier: MIT
//
// System calls, for the headers that the atomics runtime (src/atomics) shares with everyone.
//
// call() hands back what the kernel does: a result, or a negated error number; errno stays as it
// was. In a program it goes through the C library's syscall(), where debuggers, sanitizers and the
// checker look. FENCEPOST_FREESTANDING, which the build of the atomics runtime alone defines, makes
// it the processor's own instruction: that library serves programs that have no C library, and must
// not have one thread's error number overwritten by another's.
#pragma once

#include "fencepost/language.hpp"

#include <sys/syscall.h>
#include <time.h>

#if !defined(FENCEPOST_FREESTANDING)
#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include <cerrno>

#include "fencepost/instrumentation.hpp"
#endif

namespace fencepost::kernel {

#if !defined(FENCEPOST_FREESTANDING)

template <class... Arguments>
long call(long number, Arguments... arguments) noexcept {
  const int before = errno;
  const long result = ::syscall(number, arguments...);
  if (result != -1) return result;
  const int why = errno;
  errno = before;
  return -why;
}

inline void yield() noexcept { ::sched_yield(); }

inline timespec now(clockid_t clock) noexcept {
  timespec time{};
  ::clock_gettime(clock, &time);
  return time;
}

/// Sleeps for so long: 0. Or until a signal was handled: -EINTR, and `left` has what is left. No
/// cancellation point, as ::nanosleep() is, for those who call this may not be unwound.
inline long sleep(const timespec& duration, timespec* left = nullptr) noexcept {
  if constexpr (instrumentation::checking) {
    // The checker takes the place of the function, not of the system call; it sends no signals.
    return ::nanosleep(&duration, left);
  } else {
#if defined(SYS_clock_nanosleep)
    constexpr long number = SYS_clock_nanosleep;
#else
    constexpr long number = SYS_clock_nanosleep_time64;
#endif
    return call(number, CLOCK_MONOTONIC, 0, &duration, left);
  }
}

/// As ::open() of what exists, and ::close(), but no cancellation points either.
inline long open(const char* path, int flags) noexcept {
  return call(SYS_openat, AT_FDCWD, path, flags, 0);
}
inline void close(long file) noexcept { call(SYS_close, file); }

#else

namespace detail {

inline long trap(long number, long a, long b, long c, long d, long e, long f) noexcept {
#if defined(__x86_64__)
  register long r10 asm("r10") = d;
  register long r8 asm("r8") = e;
  register long r9 asm("r9") = f;
  asm volatile("syscall"
               : "+a"(number)
               : "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
               : "rcx", "r11", "memory");
  return number;
#elif defined(__aarch64__)
  register long x8 asm("x8") = number;
  register long x0 asm("x0") = a;
  register long x1 asm("x1") = b;
  register long x2 asm("x2") = c;
  register long x3 asm("x3") = d;
  register long x4 asm("x4") = e;
  register long x5 asm("x5") = f;
  asm volatile("svc #0"
               : "+r"(x0)
               : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
               : "memory");
  return x0;
#elif defined(__riscv) && __riscv_xlen == 64
  register long a7 asm("a7") = number;
  register long a0 asm("a0") = a;
  register long a1 asm("a1") = b;
  register long a2 asm("a2") = c;
  register long a3 asm("a3") = d;
  register long a4 asm("a4") = e;
  register long a5 asm("a5") = f;
  asm volatile("ecall"
               : "+r"(a0)
               : "r"(a7), "r"(a1), "r"(a2), "r"(a3), "r"(a4), "r"(a5)
               : "memory");
  return a0;
#elif defined(__powerpc64__)
  register long r0 asm("r0") = number;
  register long r3 asm("r3") = a;
  register long r4 asm("r4") = b;
  register long r5 asm("r5") = c;
  register long r6 asm("r6") = d;
  register long r7 asm("r7") = e;
  register long r8 asm("r8") = f;
  // The kernel says by the summary-overflow bit whether r3 is an error number.
  asm volatile("sc\n\tbns+ 1f\n\tneg %1, %1\n1:"
               : "+r"(r0), "+r"(r3), "+r"(r4), "+r"(r5), "+r"(r6), "+r"(r7), "+r"(r8)
               :
               : "r9", "r10", "r11", "r12", "cr0", "ctr", "xer", "memory");
  return r3;
#else
#error "The atomics runtime knows the system calls of x86-64, AArch64, riscv64 and ppc64le."
#endif
}

template <class Argument>
long word(Argument argument) noexcept {
  if constexpr (__is_same(Argument, decltype(nullptr))) {
    return 0;
  } else {
    return (long)argument;  // a pointer or a number
  }
}

}  // namespace detail

template <class... Arguments>
long call(long number, Arguments... arguments) noexcept {
  static_assert(sizeof...(arguments) <= 6);
  const long words[6] = {detail::word(arguments)...};
  return detail::trap(number, words[0], words[1], words[2], words[3], words[4], words[5]);
}

inline void yield() noexcept { call(SYS_sched_yield); }

inline timespec now(clockid_t clock) noexcept {
  timespec time{};
  call(SYS_clock_gettime, long{clock}, &time);
  return time;
}

inline void sleep(const timespec& duration) noexcept { call(SYS_nanosleep, &duration, nullptr); }

#endif

}  // namespace fencepost::kernel
