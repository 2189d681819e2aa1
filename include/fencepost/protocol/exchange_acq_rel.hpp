// SPDX-License-Identifier: MIT
//
// The flag is touched by exchange alone, with acquire and release only.
//
// exchange.hpp with the weakest orders that its proof uses: the later of announcement and look
// reads from the earlier and synchronises with it. The same instructions on x86 and AArch64; a
// choice for targets on which seq_cst costs more.
#pragma once

#include <atomic>

namespace fencepost::protocol {

class exchange_acq_rel {
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
    // acquire: reading from the exchange in unlock(), the next try sees the lock word free.
    // release: read by the exchange in unlock(), set() comes after reset(). Proof: no_lost_wakeup.
    waiters_.exchange(true, std::memory_order_acq_rel);
    return try_again();
  }

  [[nodiscard]] bool unlock() noexcept {
    // release: pairs with try_lock(), and travels through the exchange below to the thread that
    // announces itself after it. Proofs: mutual_exclusion, no_lost_wakeup.
    lock_word_.store(false, std::memory_order_release);
    // release: carries the store above to the announcement. acquire: see there.
    return waiters_.exchange(false, std::memory_order_acq_rel);
  }

 private:
  // Raised by the thread that has the lock, lowered by it alone.
  std::atomic<bool> lock_word_{false};
  // Legal to be raised with nobody asleep; illegal to be lowered by anybody who does not call set()
  // afterwards; illegal to be written by a plain store, which would break the chain.
  std::atomic<bool> waiters_{false};
};

}  // namespace fencepost::protocol
