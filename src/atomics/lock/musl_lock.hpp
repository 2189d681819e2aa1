// SPDX-License-Identifier: MIT
//
// The lock that musl uses inside its C library since version 1.1.20. Its word is that of
// published_futex.hpp, the high-order bit beside a count of threads, but a thread counts itself
// only once ten attempts have failed; and from then on it sleeps at once wherever the lock is
// taken.
//
// Source: musl's commit 47d0bcd, after J. Gustedt's paper.
#pragma once

#include <atomic>
#include <cstdint>

#include "../lock_table/statistics.hpp"
#include "fencepost/detail/ordered_atomic.hpp"
#include "fencepost/futex.hpp"

namespace fencepost::atomics {

// Proof: mutual_exclusion[musl_lock].
class lock {
 public:
  static constexpr bool unlocks_with_barrier = true;

  void acquire() noexcept {
    acquisition way;
    std::uint32_t seen = 0;
    for (unsigned attempts = 0; attempts <= most_attempts; ++attempts) {
      if (word_.compare_exchange_strong(seen, seen + locked + 1, std::memory_order_acquire,
                                        std::memory_order_relaxed)) {
        return way.succeeded(this);
      }
      way.spun();
      if ((seen & locked) != 0) seen -= locked + 1;
    }
    seen = word_.fetch_add(1, std::memory_order_relaxed) + 1;
    for (;;) {
      if ((seen & locked) != 0) {
        way.slept(futex::wait(word_, seen));
        seen -= locked + 1;
      }
      if (word_.compare_exchange_strong(seen, seen | locked, std::memory_order_acquire,
                                        std::memory_order_relaxed)) {
        return way.succeeded(this);
      }
    }
  }

  void release() noexcept {
    if (word_.fetch_sub(locked + 1, std::memory_order_release) != locked + 1) {
      futex::wake_one(word_);
    }
  }

 private:
  static constexpr std::uint32_t locked = std::uint32_t{1} << 31;
  static constexpr unsigned most_attempts = 10;
  detail::ordered_atomic<std::uint32_t> word_{0};
};

}  // namespace fencepost::atomics
