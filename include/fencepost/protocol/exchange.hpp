// SPDX-License-Identifier: MIT
//
// The flag is touched by exchange alone: "solution 2".
//
// Read-modify-writes of one variable read the one before them, so that of announce and look
// the later one sees the earlier: either unlock() finds the flag raised, or the announcement
// reads from it, and with that sees the lock word free. No order S is needed, and the event takes
// no part in the proof. x86: one xchg in unlock(). AArch64: an exclusive pair, or swp.
#pragma once

#include <atomic>

namespace fencepost::protocol {

class exchange {
 public:
  bool try_lock() noexcept {
    bool free = false;
    // acquire: pairs with the store in unlock(). Proof: mutual_exclusion.
    return lock_word_.compare_exchange_strong(free, true, std::memory_order_acquire,
                                              std::memory_order_relaxed);
  }

  [[nodiscard]] bool is_locked() const noexcept {
    // relaxed: a guess; try_lock() decides.
    return lock_word_.load(std::memory_order_relaxed);
  }

  template <class retry>
  bool announce_then(retry&& try_again) noexcept {
    // acquire and release: the later of this and the exchange in unlock() sees what came before the
    // earlier. seq_cst costs no more on x86 and AArch64. Proof: no_lost_wakeup.
    waiters_.exchange(true, std::memory_order_seq_cst);
    return try_again();
  }

  [[nodiscard]] bool unlock() noexcept {
    // release: pairs with try_lock(), and travels through the exchange below to the thread that
    // announces itself after it. Proofs: mutual_exclusion, no_lost_wakeup.
    lock_word_.store(false, std::memory_order_release);
    // As above: an exchange also when the flag is down, for the announcement must read from it.
    return waiters_.exchange(false, std::memory_order_seq_cst);
  }

 private:
  // Raised by the thread that has the lock, lowered by it alone.
  std::atomic<bool> lock_word_{false};
  // Legal to be raised with nobody asleep; illegal to be lowered by anybody who does not call set()
  // afterwards; illegal to be written by a plain store, which would break the chain.
  std::atomic<bool> waiters_{false};
};

}  // namespace fencepost::protocol
