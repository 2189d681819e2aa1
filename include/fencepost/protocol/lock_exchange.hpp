// SPDX-License-Identifier: MIT
//
// The lock word is touched by exchange alone: "proposal 3" with exchange in place of
// compare-exchange.
//
// The last try and the unlock are read-modify-writes of the lock word even when the try fails, so
// that the later reads from the earlier: either the try finds the lock free, or unlock() reads from
// the failed try and with that sees the flag raised. With compare-exchange this does not hold: one
// that fails writes nothing, and nobody can read from it. Every failed try takes the cache line for
// itself.
#pragma once

#include <atomic>

namespace fencepost::protocol {

class lock_exchange {
 public:
  bool try_lock() noexcept {
    // acquire: pairs with unlock(). release: of use when it fails: carries the announcement to the
    // exchange in unlock(). Proofs: mutual_exclusion, no_lost_wakeup.
    return !lock_word_.exchange(true, std::memory_order_acq_rel);
  }

  [[nodiscard]] bool is_locked() const noexcept {
    // relaxed: a guess; try_lock() decides.
    return lock_word_.load(std::memory_order_relaxed);
  }

  template <class retry>
  bool announce_then(retry&& try_again) noexcept {
    // release: read by the exchange of the flag in unlock(), set() comes after reset().
    waiters_.store(true, std::memory_order_release);
    return try_again();
  }

  [[nodiscard]] bool unlock() noexcept {
    // release: for the critical section. acquire: reads from the last failed try, after which the
    // flag is seen raised. Proofs: mutual_exclusion, no_lost_wakeup.
    lock_word_.exchange(false, std::memory_order_acq_rel);
    // acquire: pairs with announce_then(). Release comes from set().
    return waiters_.exchange(false, std::memory_order_acquire);
  }

 private:
  // Lowered by the thread that has the lock alone; raised by everybody.
  std::atomic<bool> lock_word_{false};
  // Legal to be raised with nobody asleep; illegal to be lowered by anybody who does not call set()
  // afterwards.
  std::atomic<bool> waiters_{false};
};

}  // namespace fencepost::protocol
