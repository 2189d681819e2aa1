// SPDX-License-Identifier: MIT
//
// Try-lock by a compare-exchange with the orders one gets without asking: the first half of the
// patch in MySQL bug 88399.
//
// A failed try is a seq_cst load, which protocol::seq_cst needs; the others gain nothing by it.
// x86: lock cmpxchg, which takes the cache line also when it fails. AArch64: casal, or ldaxr and
// stlxr, and a failed try does not write.
#pragma once

#include <atomic>

namespace fencepost::try_lock {

struct compare_exchange_seq_cst {
  /// Does a failed try stand in the one order S of seq_cst operations?
  static constexpr bool fails_in_order = true;
  /// Does a failed try write, so that unlock() can read from it?
  static constexpr bool writes_when_it_fails = false;

  /// Takes the lock if `word` is false; says whether it did. Never fails spuriously.
  [[gnu::always_inline]] static bool take(std::atomic<bool>& word) noexcept {
    bool free = false;
    // seq_cst, also when it fails: then it is the load that must not miss the store in unlock() of
    // protocol::seq_cst, and stands behind the announcement in S. Acquire, which is part of it, is
    // for the critical section. Proof: event_mutex.no_lost_wakeup[seq_cst].
    return word.compare_exchange_strong(free, true, std::memory_order_seq_cst);
  }
};

}  // namespace fencepost::try_lock
