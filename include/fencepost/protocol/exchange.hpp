// SPDX-License-Identifier: MIT
//
// The flag is touched by exchange alone: "solution 2", with the weakest orders that its proof uses.
//
// Read-modify-writes of one variable read the one before them, so that of announce and look the
// later one sees the earlier: either unlock() finds the flag raised, or the announcement reads from
// it, and with that sees the lock word free. No order S is needed, and the event takes no part in
// the proof. x86: one xchg in unlock(). AArch64: an exclusive pair, or swp.
#pragma once

#include <atomic>

#include "fencepost/try_lock/compare_exchange_acquire.hpp"

namespace fencepost::protocol {

template <class TryLock>
class basic_exchange {
 public:
  bool try_lock() noexcept { return TryLock::take(lock_word_); }

  [[nodiscard]] bool is_locked() const noexcept {
    // relaxed: a guess; try_lock() decides.
    return lock_word_.load(std::memory_order_relaxed);
  }

  template <class retry>
  bool announce_then(retry&& try_again) noexcept {
    // acquire: reading from the exchange in unlock(), the next try sees the lock word free. Release
    // is not needed for that exchange to read from this one: the set() that follows it comes after
    // the reset() before, or it would happen before this. Proof:
    // event_mutex.no_lost_wakeup[exchange].
    waiters_.exchange(true, std::memory_order_acquire);
    return try_again();
  }

  [[nodiscard]] bool unlock() noexcept {
    // release: pairs with try_lock(), and travels through the exchange below to the thread that
    // announces itself after it. Proof: event_mutex.no_lost_wakeup[exchange].
    lock_word_.store(false, std::memory_order_release);
    // release: carries the store above to the announcement. An exchange also when the flag is down,
    // for the announcement must read from it. Proof: event_mutex.no_lost_wakeup[exchange].
    return waiters_.exchange(false, std::memory_order_release);
  }

 private:
  // Raised by the thread that has the lock, lowered by it alone.
  std::atomic<bool> lock_word_{false};
  // Legal to be raised with nobody asleep; illegal to be lowered by anybody who does not call set()
  // afterwards; illegal to be written by a plain store, which would break the chain.
  std::atomic<bool> waiters_{false};
};

using exchange = basic_exchange<try_lock::compare_exchange_acquire>;

}  // namespace fencepost::protocol
