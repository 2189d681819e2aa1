// SPDX-License-Identifier: MIT
//
// Everything that decides about sleep is sequentially consistent: "solution 1".
//
// The four operations of the store-buffering shape, raise/try on one side and free/look on the
// other, are seq_cst, and stand in the one order S of all of them: whichever comes later sees the
// other. x86: one xchg in unlock(), one to announce. AArch64: stlr and ldar, which cost no fence.
#pragma once

#include <atomic>

#include "fencepost/try_lock/compare_exchange_seq_cst.hpp"

namespace fencepost::protocol {

template <class TryLock>
class basic_seq_cst {
  static_assert(TryLock::fails_in_order,
                "the last try before sleep must be seq_cst also when it fails, "
                "or it may miss the unlock that missed the announcement");

 public:
  bool try_lock() noexcept { return TryLock::take(lock_word_); }

  [[nodiscard]] bool is_locked() const noexcept {
    // relaxed: a guess; try_lock() decides.
    return lock_word_.load(std::memory_order_relaxed);
  }

  template <class retry>
  bool announce_then(retry&& try_again) noexcept {
    // seq_cst: the failed try that follows must not precede this store. Pairs with the look in
    // unlock(). Proof: event_mutex.no_lost_wakeup[seq_cst].
    waiters_.store(true, std::memory_order_seq_cst);
    return try_again();
  }

  [[nodiscard]] bool unlock() noexcept {
    // seq_cst: the look below must not precede this store. Pairs with the last try in
    // announce_then(); release is what the critical section needs.
    // Proof: event_mutex.no_lost_wakeup[seq_cst].
    lock_word_.store(false, std::memory_order_seq_cst);
    // seq_cst: pairs with the store in announce_then(). Proof: event_mutex.no_lost_wakeup[seq_cst].
    if (!waiters_.load(std::memory_order_seq_cst)) return false;
    // relaxed: set(), which the caller owes now, releases it to the reset() of the next who
    // announces itself. InnoDB's proposal was seq_cst: by the wording of C++14 the look of another
    // thread may otherwise find this `false` though it comes later in S than an announcement.
    waiters_.store(false, std::memory_order_relaxed);
    return true;
  }

 private:
  // Raised by the thread that has the lock, lowered by it alone.
  std::atomic<bool> lock_word_{false};
  // Legal to be raised with nobody asleep; illegal to be lowered by anybody who does not call set()
  // afterwards.
  std::atomic<bool> waiters_{false};
};

using seq_cst = basic_seq_cst<try_lock::compare_exchange_seq_cst>;

}  // namespace fencepost::protocol
