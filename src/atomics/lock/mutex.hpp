// SPDX-License-Identifier: MIT
//
// The default: fencepost::mutex, whose page and proofs are docs/library/mutex.md's. Threads that
// run may overtake those that sleep, one thread at a time is on its way back from sleep, and a
// thread that was woken in vain too often gets its turn.
#pragma once

#include "../lock_table/statistics.hpp"
#include "fencepost/mutex.hpp"

namespace fencepost::atomics {

class lock {
 public:
  /// Whether unlock() is a full barrier on x86-64, as its read-modify-writes are.
  static constexpr bool unlocks_with_barrier = true;

  void acquire() noexcept { mutex_.lock(); }
  void release() noexcept { mutex_.unlock(); }

 private:
  // The count of overtakes belongs to a thread, and this library has no thread-local variables.
  static constexpr mutex_tuning tuning{.overtakes = 0, .catch_misuse = false};
  basic_mutex<lock_observer, futex::scope::process, tuning> mutex_;
};

}  // namespace fencepost::atomics
