// SPDX-License-Identifier: MIT
//
// Try-lock by a compare-exchange with acquire when it succeeds and relaxed when it fails: the
// second half of the patch in MySQL bug 88399.
//
// The bug asks whether this weakening is safe on every platform. It is where a protocol keeps its
// announcement and its last try in order by other means: the exchanges of protocol::exchange, the
// fence of protocol::asymmetric. With protocol::seq_cst it is not: a relaxed try that fails may
// miss the unlock() that missed the announcement (the study's `solution_1_acquire_try` shows how),
// so that the two do not compile together. x86: lock cmpxchg. AArch64: casa, or ldaxr and stxr.
#pragma once

#include <atomic>

namespace fencepost::try_lock {

struct compare_exchange_acquire {
  /// Does a failed try stand in the one order S of seq_cst operations?
  static constexpr bool fails_in_order = false;
  /// Does a failed try write, so that unlock() can read from it?
  static constexpr bool writes_when_it_fails = false;

  /// Takes the lock if `word` is false; says whether it did. Never fails spuriously.
  [[gnu::always_inline]] static bool take(std::atomic<bool>& word) noexcept {
    bool free = false;
    // acquire: for the critical section, pairs with every unlock(). Proof:
    // event_mutex.no_lost_wakeup.
    return word.compare_exchange_strong(free, true, std::memory_order_acquire,
                                        std::memory_order_relaxed);
  }
};

}  // namespace fencepost::try_lock
