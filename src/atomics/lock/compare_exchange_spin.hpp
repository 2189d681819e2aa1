// SPDX-License-Identifier: MIT
//
// A lock that never sleeps, taken by compare-exchange. Nothing is quicker while nobody waits, and
// nothing slower once threads outnumber processors: for programs that pin one thread to each.
#pragma once

#include <atomic>

#include "../lock_table/statistics.hpp"
#include "fencepost/detail/ordered_atomic.hpp"
#include "fencepost/detail/pause.hpp"

namespace fencepost::atomics {

// Proof: mutual_exclusion[compare_exchange_spin].
class lock {
 public:
  static constexpr bool unlocks_with_barrier = false;

  void acquire() noexcept {
    acquisition way;
    unsigned taken = 0;
    while (!taken_.compare_exchange_weak(taken, 1, std::memory_order_acquire,
                                         std::memory_order_relaxed)) {
      way.spun();
      detail::pause();
      taken = 0;
    }
    way.succeeded(this);
  }
  void release() noexcept { taken_.store(0, std::memory_order_release); }

 private:
  // A word: gcc calls a library for single bytes on riscv64, this one.
  detail::ordered_atomic<unsigned> taken_{0};
};

}  // namespace fencepost::atomics
