// SPDX-License-Identifier: MIT
//
// A lock that never sleeps, taken by compare-exchange. Nothing is quicker while nobody waits, and
// nothing slower once threads outnumber processors: for programs that pin one thread to each.
#pragma once

#include <atomic>

#include "fencepost/pause.hpp"

namespace fencepost::atomics {

// Proof: mutual_exclusion[compare_exchange_spin].
class lock {
 public:
  static constexpr bool unlocks_with_barrier = false;

  void acquire() noexcept {
    bool taken = false;
    while (!taken_.compare_exchange_weak(taken, true, std::memory_order_acquire,
                                         std::memory_order_relaxed)) {
      fencepost::detail::pause();
      taken = false;
    }
  }
  void release() noexcept { taken_.store(false, std::memory_order_release); }

 private:
  std::atomic<bool> taken_{false};
};

}  // namespace fencepost::atomics
