// SPDX-License-Identifier: MIT
//
// Everything that decides about sleep is sequentially consistent: "solution 1".
//
// The four operations of the store-buffering shape, raise/try on one side and free/look on the
// other, are seq_cst, and stand in the one order S of all of them: whichever comes later sees the
// other. x86: one xchg in unlock(), one to announce. AArch64: stlr and ldar, which cost no fence.
#pragma once

#include <atomic>

namespace fencepost::protocol {

class seq_cst {
 public:
  bool try_lock() noexcept {
    bool free = false;
    // seq_cst: when it fails it is the load that must not miss the store in unlock(), and stands
    // after the store in announce_then(). Proof: no_lost_wakeup.
    return lock_word_.compare_exchange_strong(free, true, std::memory_order_seq_cst);
  }

  [[nodiscard]] bool is_locked() const noexcept {
    // relaxed: a guess; try_lock() decides.
    return lock_word_.load(std::memory_order_relaxed);
  }

  template <class retry>
  bool announce_then(retry&& try_again) noexcept {
    // seq_cst: the failed try that follows must not precede this store. Pairs with the look in
    // unlock(). Proof: no_lost_wakeup.
    waiters_.store(true, std::memory_order_seq_cst);
    return try_again();
  }

  [[nodiscard]] bool unlock() noexcept {
    // seq_cst: the look below must not precede this store. Pairs with the last try in
    // announce_then(); release is what the critical section needs. Proofs: no_lost_wakeup,
    // mutual_exclusion.
    lock_word_.store(false, std::memory_order_seq_cst);
    // seq_cst: pairs with the store in announce_then(). Proof: no_lost_wakeup.
    if (!waiters_.load(std::memory_order_seq_cst)) return false;
    // seq_cst as proposed. By C++20 release would do, which orders the store before the set() that
    // follows; by the wording of C++14 the look of another thread may then find this `false`.
    waiters_.store(false, std::memory_order_seq_cst);
    return true;
  }

 private:
  // Raised by the thread that has the lock, lowered by it alone.
  std::atomic<bool> lock_word_{false};
  // Legal to be raised with nobody asleep; illegal to be lowered by anybody who does not call set()
  // afterwards.
  std::atomic<bool> waiters_{false};
};

}  // namespace fencepost::protocol
