// SPDX-License-Identifier: MIT
//
// Try-lock by exchange, the "TAS" that InnoDB had.
//
// Writes whether or not the lock is free: a failed try takes the cache line for itself, which is
// what MySQL bug 88399 measured against it on AArch64 with 32 threads and more, and a failed try
// can be read from, which is what protocol::lock_exchange builds on. x86: xchg, the cheapest of the
// three. AArch64: swpal, or an exclusive pair.
#pragma once

#include <atomic>

namespace fencepost::try_lock {

struct test_and_set {
  /// Does a failed try stand in the one order S of seq_cst operations?
  static constexpr bool fails_in_order = true;
  /// Does a failed try write, so that unlock() can read from it?
  static constexpr bool writes_when_it_fails = true;

  /// Takes the lock if `word` is false; says whether it did. Never fails spuriously.
  [[gnu::always_inline]] static bool take(std::atomic<bool>& word) noexcept {
    // seq_cst: acquire is for the critical section and pairs with every unlock(); the rest is for
    // the try that fails: protocol::seq_cst needs it in S, behind the announcement, and
    // protocol::lock_exchange needs its release, read by the exchange in unlock().
    // Proofs: event_mutex.no_lost_wakeup[seq_cst-test_and_set].
    return !word.exchange(true, std::memory_order_seq_cst);
  }
};

}  // namespace fencepost::try_lock
