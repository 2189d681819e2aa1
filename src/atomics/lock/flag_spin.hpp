// SPDX-License-Identifier: MIT
//
// A lock that never sleeps, taken by test-and-set: the only kind that needs neither system nor
// library. Each attempt writes, so waiting threads take the cache line from the holder.
#pragma once

#include <atomic>

#include "../lock_table/statistics.hpp"
#include "fencepost/detail/pause.hpp"

namespace fencepost::atomics {

// Proof: mutual_exclusion[flag_spin].
class lock {
 public:
  static constexpr bool unlocks_with_barrier = false;

  void acquire() noexcept {
    acquisition way;
    while (flag_.test_and_set(std::memory_order_acquire)) {
      way.spun();
      fencepost::detail::pause();
    }
    way.succeeded(this);
  }
  void release() noexcept { flag_.clear(std::memory_order_release); }

 private:
  std::atomic_flag flag_;
};

}  // namespace fencepost::atomics
