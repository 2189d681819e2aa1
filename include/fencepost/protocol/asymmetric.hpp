// SPDX-License-Identifier: MIT
//
// The thread that goes to sleep pays for both: unlock() is a store and a load.
//
// The instructions of unlock() are those of the patch of 7 July 2020, which loses wake-ups because
// the look may overtake the release. Here the thread that wants to sleep announces itself, has the
// kernel interrupt every processor that runs a thread of this process (a heavy fence: membarrier),
// and only then tries for the last time. The interrupt falls somewhere into every unlock(): behind
// the release, then the last try sees it and does not sleep; or before the look, then the look sees
// the announcement. There is no third place.
//
// Costs: no barrier instruction in unlock(), but a look at the strategy that asymmetric_fence.hpp
// decided on; a system call of some microseconds before each sleep, which interrupts the other
// processors. Where there is no membarrier both sides are full fences, and unlock() costs more than
// that of protocol::exchange. A choice for locks that are taken much more often than waited for.
#pragma once

#include <atomic>

#include "fencepost/asymmetric_fence.hpp"
#include "fencepost/futex.hpp"
#include "fencepost/try_lock/compare_exchange_acquire.hpp"

namespace fencepost::protocol {

template <class TryLock, futex::scope Scope = futex::scope::process>
class basic_asymmetric {
 public:
  /// Whose unlock() the announcement reaches.
  static constexpr futex::scope scope = Scope;

  bool try_lock() noexcept { return TryLock::take(lock_word_); }

  [[nodiscard]] bool is_locked() const noexcept {
    // relaxed: a guess; try_lock() decides.
    return lock_word_.load(std::memory_order_relaxed);
  }

  template <class retry>
  bool announce_then(retry&& try_again) noexcept {
    // relaxed: where a look in unlock() reads it, the set() that follows comes after the reset()
    // before: otherwise that set() and with it the look would happen before this store.
    waiters_.store(true, std::memory_order_relaxed);
    // heavy: the last try must not precede the announcement, and neither must the look in unlock()
    // precede the release. Pairs with the light fence there.
    // Proofs: event_mutex.no_lost_wakeup[asymmetric],
    // event_mutex.no_lost_wakeup[interprocess_asymmetric].
    if constexpr (Scope == futex::scope::process) {
      asymmetric_thread_fence_heavy();
    } else {
      // Its result is what may_sleep_long() tells.
      static_cast<void>(interprocess_asymmetric_thread_fence_heavy());
    }
    return try_again();
  }

  [[nodiscard]] bool unlock() noexcept {
    // release: pairs with try_lock(). Proof: event_mutex.no_lost_wakeup[asymmetric].
    lock_word_.store(false, std::memory_order_release);
    // light: pairs with the heavy fence in announce_then().
    // Proofs: event_mutex.no_lost_wakeup[asymmetric],
    // event_mutex.no_lost_wakeup[interprocess_asymmetric].
    if constexpr (Scope == futex::scope::process) {
      asymmetric_thread_fence_light();
    } else {
      interprocess_asymmetric_thread_fence_light();
    }
    // relaxed: the fence says what it must not miss; what comes of a flag that is seen is said in
    // announce_then().
    if (!waiters_.load(std::memory_order_relaxed)) [[likely]]
      return false;
    // relaxed: set(), which the caller owes now, releases it to the reset() of the next who
    // announces itself.
    waiters_.store(false, std::memory_order_relaxed);
    return true;
  }

  /// Whether who has announced itself can count on being woken. False in a process that cannot
  /// interrupt the others with which it shares the lock: it must not sleep without a limit.
  [[nodiscard]] static bool may_sleep_long() noexcept {
    if constexpr (Scope == futex::scope::process) {
      return true;
    } else {
      return interprocess_asymmetric_fence_reaches_all();
    }
  }

 private:
  // Raised by the thread that has the lock, lowered by it alone.
  std::atomic<bool> lock_word_{false};
  // Legal to be raised with nobody asleep; illegal to be lowered by anybody who does not call set()
  // afterwards.
  std::atomic<bool> waiters_{false};
};

using asymmetric = basic_asymmetric<try_lock::compare_exchange_acquire>;

/// For an event_mutex in memory that several processes map.
using interprocess_asymmetric =
    basic_asymmetric<try_lock::compare_exchange_acquire, futex::scope::shared>;

}  // namespace fencepost::protocol
