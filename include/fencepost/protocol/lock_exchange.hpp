// SPDX-License-Identifier: MIT
//
// The lock word is touched by exchange alone: "proposal 3" with exchange in place of
// compare-exchange.
//
// The last try and the unlock are read-modify-writes of the lock word even when the try fails, so
// that the later reads from the earlier: either the try finds the lock free, or unlock() reads from
// the failed try and with that sees the flag raised. With compare-exchange this does not hold: one
// that fails writes nothing, and nobody can read from it. Every failed try takes the cache line for
// itself. The flag needs no order at all: where it is raised and seen by chance, a wake-up too many
// is all that comes of it.
#pragma once

#include <atomic>

#include "fencepost/try_lock/test_and_set.hpp"

namespace fencepost::protocol {

template <class TryLock>
class basic_lock_exchange {
  static_assert(TryLock::fails_in_order && TryLock::writes_when_it_fails,
                "the last try before sleep must write also when it fails, "
                "or unlock() has nothing to read the announcement from");

 public:
  bool try_lock() noexcept { return TryLock::take(lock_word_); }

  [[nodiscard]] bool is_locked() const noexcept {
    // relaxed: a guess; try_lock() decides.
    return lock_word_.load(std::memory_order_relaxed);
  }

  template <class retry>
  bool announce_then(retry&& try_again) noexcept {
    // relaxed: the failed try that follows carries it to unlock().
    waiters_.store(true, std::memory_order_relaxed);
    return try_again();
  }

  [[nodiscard]] bool unlock() noexcept {
    // release: for the critical section, and for the try that succeeds. acquire: reads from the
    // last failed try, after which the flag is seen raised.
    // Proof: event_mutex.no_lost_wakeup[lock_exchange].
    lock_word_.exchange(false, std::memory_order_acq_rel);
    // relaxed: see above. The clearing is released by set(), which the caller owes now.
    if (!waiters_.load(std::memory_order_relaxed)) return false;
    waiters_.store(false, std::memory_order_relaxed);
    return true;
  }

 private:
  // Lowered by the thread that has the lock alone; raised by everybody.
  std::atomic<bool> lock_word_{false};
  // Legal to be raised with nobody asleep; illegal to be lowered by anybody who does not call set()
  // afterwards.
  std::atomic<bool> waiters_{false};
};

using lock_exchange = basic_lock_exchange<try_lock::test_and_set>;

}  // namespace fencepost::protocol
