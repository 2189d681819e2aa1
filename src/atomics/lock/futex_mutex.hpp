// SPDX-License-Identifier: MIT
//
// fencepost::futex_mutex: the word of the published futex lock, which counts the threads inside
// beside a lock bit in the high-order place, without its convoy. docs/library/futex_mutex.md has
// the proofs.
#pragma once

#include "../lock_table/statistics.hpp"
#include "fencepost/futex_mutex.hpp"

namespace fencepost::atomics {

class lock {
 public:
  static constexpr bool unlocks_with_barrier = true;

  void acquire() noexcept { mutex_.lock(); }
  void release() noexcept { mutex_.unlock(); }

 private:
  static constexpr mutex_tuning tuning{.overtakes = 0, .catch_misuse = false};
  basic_futex_mutex<lock_observer, futex::scope::process, tuning> mutex_;
};

}  // namespace fencepost::atomics
