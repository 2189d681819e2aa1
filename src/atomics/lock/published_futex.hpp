// SPDX-License-Identifier: MIT
//
// The futex lock as it was published: the high-order bit says that the lock is taken, the others
// count the threads inside. A thread that does not get it at once counts itself, tries for a while
// (spin_time.hpp) to set the bit, and then sleeps as long as the word stays as it is. Quick with
// one or two threads; with many more than processors each arrival wakes those who try to sleep, and
// it falls behind.
//
// Source: J. Gustedt, "Futex based locks for C11's generic atomics" (SAC 2016). Unlike its program,
// this takes the lock with acquire and gives it back with release whatever the caller asked for.
#pragma once

#include <atomic>
#include <cstdint>

#include "../lock_table/statistics.hpp"
#include "fencepost/detail/ordered_atomic.hpp"
#include "fencepost/detail/pause.hpp"
#include "fencepost/futex.hpp"
#include "spin_time.hpp"

namespace fencepost::atomics {

// Proof: mutual_exclusion[published_futex].
class lock {
 public:
  static constexpr bool unlocks_with_barrier = true;

  void acquire() noexcept {
    acquisition way;
    std::uint32_t seen = 0;
    if (word_.compare_exchange_strong(seen, locked + 1, std::memory_order_acquire,
                                      std::memory_order_relaxed)) [[likely]] {
      return way.succeeded(this);
    }
    seen = word_.fetch_add(1, std::memory_order_relaxed) + 1;
    const std::uint32_t most_spins = looks_before_sleep();
    for (std::uint32_t spins = 0;; ++spins) {
      if ((seen & locked) == 0) {
        if (word_.compare_exchange_weak(seen, seen | locked, std::memory_order_acquire,
                                        std::memory_order_relaxed)) {
          return way.succeeded(this);
        }
        continue;
      }
      if (spins < most_spins) {
        way.spun();
        fencepost::detail::pause();
      } else {
        way.slept(futex::wait(word_, seen));
        spins = 0;
      }
      seen = word_.load(std::memory_order_relaxed);
    }
  }

  void release() noexcept {
    if (word_.fetch_sub(locked + 1, std::memory_order_release) != locked + 1) {
      futex::wake_one(word_);
    }
  }

 private:
  static constexpr std::uint32_t locked = std::uint32_t{1} << 31;
  detail::ordered_atomic<std::uint32_t> word_{0};
};

}  // namespace fencepost::atomics
