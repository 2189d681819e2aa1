// SPDX-License-Identifier: MIT
//
// How long to spin before going to sleep, as the analysis of the published futex lock has it:
//
//     E · t_fail     where t_fail is what a futex_wait costs that fails, or giving the processor to
//                    another thread, whichever is more; and E, the part of its speed that a
//                    processor keeps when all are busy, is 0.9
//     0.5 · t_fail   and a little where no more than two threads make progress at a time
//     0              where but one does: nobody releases what one is spinning for
//
// The times are measured, once, by the first thread that is about to spin: a few microseconds. How
// many threads make progress is taken for three quarters of the processors that it may run on. What
// it costs to be put to sleep cannot be timed by one thread alone; sched_yield() stands for it.
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "fencepost/detail/kernel.hpp"
#include "fencepost/detail/pause.hpp"
#include "fencepost/instrumentation.hpp"

namespace fencepost::atomics {

namespace spin_time {

inline std::uint64_t now() noexcept {
  const timespec time = kernel::now(CLOCK_MONOTONIC);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(time.tv_nsec);
}

/// Nanoseconds of `count` calls, the best of several times: others may have had the processor.
template <class Action>
std::uint64_t duration(unsigned count, Action action) noexcept {
  std::uint64_t best = ~std::uint64_t{0};
  for (int attempt = 0; attempt != 5; ++attempt) {
    const std::uint64_t begin = now();
    for (unsigned n = 0; n != count; ++n) action();
    best = std::min(best, now() - begin);
  }
  return best;
}

inline unsigned processors() noexcept {
  std::uint64_t mask[128] = {};
  const long bytes = kernel::call(SYS_sched_getaffinity, 0L, long{sizeof mask}, mask);
  unsigned count = 0;
  for (long n = 0; n < bytes / 8; ++n) {
    for (std::uint64_t left = mask[n]; left != 0; left &= left - 1) ++count;
  }
  return count;
}

/// 0: nobody has measured. Otherwise one more than the looks.
inline std::uint32_t looks_and_one = 0;

[[gnu::noinline, gnu::cold]] inline std::uint32_t measure() noexcept {
  constexpr unsigned calls = 8;
  constexpr unsigned several_looks = 256;
  const unsigned count = processors();
  std::uint64_t looks = 0;
  if (count > 1) {
    std::atomic<std::uint32_t> word{1};
    const std::uint64_t failing = duration(calls, [&word] {
      kernel::call(SYS_futex, &word, long{FUTEX_WAIT_PRIVATE}, 0L, nullptr, nullptr, 0L);
    });
    const std::uint64_t yielding = duration(calls, [] { kernel::yield(); });
    const std::uint64_t looking = duration(several_looks, [&word] {
      detail::pause();
      static_cast<void>(word.load(std::memory_order_relaxed));
    });
    const std::uint64_t percent = count * 3 <= 2 * 4 ? 60 : 90;
    const std::uint64_t fail = std::max(failing, yielding) / calls;
    looks = fail * percent * several_looks / (100 * std::max<std::uint64_t>(looking, 1));
  }
  const auto measured = static_cast<std::uint32_t>(std::min<std::uint64_t>(looks, 100'000)) + 1;
  // relaxed: whoever measures besides gets a result that does as well
  __atomic_store_n(&looks_and_one, measured, __ATOMIC_RELAXED);
  return measured;
}

}  // namespace spin_time

/// How often to look at a taken lock, with a processor's pause each time, before sleeping.
inline std::uint32_t looks_before_sleep() noexcept {
  // More turns of a loop are more executions to explore, and none of another kind.
  if constexpr (instrumentation::checking) return 1;
  const std::uint32_t known = __atomic_load_n(&spin_time::looks_and_one, __ATOMIC_RELAXED);
  return (known != 0 ? known : spin_time::measure()) - 1;
}

}  // namespace fencepost::atomics
