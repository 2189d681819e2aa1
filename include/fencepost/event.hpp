// SPDX-License-Identifier: MIT
//
// An event with an epoch: the os_event of InnoDB in one futex word.
//
// A thread that may have to sleep takes the epoch with reset(), looks once more at whatever it
// waits for, and then calls wait(epoch). set() wakes everybody who took an epoch before it, also
// those who have not gone to sleep yet: their wait() returns at once. An event stays set until the
// next reset().
//
//     const auto epoch = event.reset();          condition = true;
//     if (!condition) event.wait(epoch);         event.set();
//
// Guaranteed: set() happens before the return of every reset() and wait() that comes after it in
// the order of the word's changes; a wait() with an epoch taken before a set() does not outlast it.
// Not guaranteed: any order between the condition and the event. In the example above the two
// threads are the store-buffering shape, and need the orders of a protocol (see event_mutex.hpp).
// 2^31 calls of set() between a reset() and its wait() go unnoticed.
//
// How it works: the word counts the changes, up by one when the event becomes set and up by one
// when it is reset, so that its lowest bit says "set" and the whole of it is the epoch.
//
// word_: legal to be odd with nobody waiting; illegal to return to an earlier value; threads sleep
// only on even values.
#pragma once

#include <atomic>
#include <cstdint>

#include "fencepost/futex.hpp"

namespace fencepost {

class event {
 public:
  using epoch = std::uint32_t;

  constexpr event() noexcept = default;
  event(const event&) = delete;
  event& operator=(const event&) = delete;

  /// Clears the event; returns the epoch that wait() takes.
  [[nodiscard]] epoch reset() noexcept {
    // acquire: whatever preceded the set() that made this value precedes what follows here: a
    // waiter's announcement must come after the clearing of the one before it.
    epoch seen = word_.load(std::memory_order_acquire);
    while (seen & 1) {
      // acq_rel: release keeps the calls of set() that this one replaces visible to later readers.
      if (word_.compare_exchange_weak(seen, seen + 1, std::memory_order_acq_rel,
                                      std::memory_order_acquire)) {
        return seen + 1;
      }
    }
    return seen;
  }

  /// Sets the event and wakes everybody.
  void set() {
    // release: what the caller did before, such as clearing a flag, is seen after reset() and
    // wait(). acquire: calls of set() that find the event set stand in one order with those that
    // did it. A read-modify-write, for a store could be lost between a reset() and its wait().
    if ((word_.fetch_or(1, std::memory_order_acq_rel) & 1) == 0) futex::wake_all(word_);
  }

  /// Returns once set() was called after the reset() that gave `since`.
  void wait(epoch since) const {
    // acquire: pairs with set(). The kernel compares again before the thread sleeps.
    while (word_.load(std::memory_order_acquire) == since) futex::wait(word_, since);
  }

  /// Whether wait(since) would sleep now.
  [[nodiscard]] bool would_wait(epoch since) const noexcept {
    return word_.load(std::memory_order_acquire) == since;
  }

 private:
  futex::word word_{0};
};

}  // namespace fencepost
