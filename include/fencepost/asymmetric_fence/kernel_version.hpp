// SPDX-License-Identifier: MIT
//
// What is known of some versions of Linux and cannot be tried out.
//
// From 5.10 on, membarrier's global expedited form may miss a thread. A processor remembers whether
// what runs on it wants to be interrupted. A thread that exits there has this forgotten, and it is
// remembered again when the processor goes over to another address space; a thread of the same
// process that comes next, directly or after an idle time, runs without. The private form looks at
// the threads themselves. (kernel/sched/membarrier.c, membarrier_update_current_mm() as called by
// exit_mm(); kernel/sched/sched.h, membarrier_switch_mm(). Seen in 6.18, by take_over() of
// tests/library/fences/asymmetric_fence_process.cpp: none of 200 calls interrupted such a thread,
// and all of the private form did.) No version is known to be mended.
//
// It matters that this is known by the version alone: all processes of a system come to the same
// conclusion, whatever their sandboxes. A process may have the kernel say that it is 2.6, whatever
// it is (personality(2), UNAME26; 6.18 is "2.6.78" then), and is not told its version. No kernel
// that is one runs these programs.
#pragma once

#include "fencepost/instrumentation.hpp"

#if !defined(FENCEPOST_CHECK)
#include <sys/utsname.h>

#include <atomic>
#include <cstdlib>
#endif

namespace fencepost::asymmetric {

#if defined(FENCEPOST_CHECK)

// The checker's membarrier is what it ought to be.
inline constexpr bool kernel_is_before(long, long) noexcept { return true; }
inline constexpr bool global_expedited_misses_threads() noexcept { return false; }

#else

/// Whether this is Linux, and known to be an earlier version.
inline bool kernel_is_before(long major, long minor) noexcept {
  utsname system{};
  if (::uname(&system) != 0) return false;
  char* rest = system.release;
  const long first = std::strtol(rest, &rest, 10);
  if (rest == system.release || *rest != '.') return false;
  if (first < 3) return false;  // it was told to say so
  const long second = std::strtol(rest + 1, nullptr, 10);
  return first < major || (first == major && second < minor);
}

[[gnu::visibility("default")]] inline constinit std::atomic<signed char> misses_threads{-1};

inline bool global_expedited_misses_threads() noexcept {
  // relaxed: whoever asks finds the same.
  signed char known = misses_threads.load(std::memory_order_relaxed);
  if (known < 0) [[unlikely]] {
    known = kernel_is_before(5, 10) ? 0 : 1;
    misses_threads.store(known, std::memory_order_relaxed);
  }
  return known != 0;
}

#endif

}  // namespace fencepost::asymmetric
