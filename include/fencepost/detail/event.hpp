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
// Guaranteed: set() happens before the return of every reset(), wait() and would_wait() that comes
// after it in the order of the word's changes; a wait() with an epoch taken before a set() does not
// outlast it. Not guaranteed: any order between the condition and the event. In the example above
// the two threads are the store-buffering shape, and need the orders of a protocol (see
// event_mutex.hpp). 2^31 calls of set() between a reset() and its wait() go unnoticed. set() looks
// at nothing after it has changed the word, but hands the kernel its address: an event may be
// destroyed by a thread that its set() released, if who uses the memory next bears a spurious
// wake-up.
//
// How it works: the word counts the changes, up by one when the event becomes set and up by one
// when it is reset, so that its lowest bit says "set" and the whole of it is the epoch.
//
// word_: legal to be odd with nobody waiting; illegal to return to an earlier value; threads sleep
// only on even values.
//
// `event` is for the threads of a process, `interprocess_event` for memory that several map.
#pragma once

#include "fencepost/language.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>

#include "fencepost/detail/ordered_atomic.hpp"
#include "fencepost/futex.hpp"

namespace fencepost {

template <futex::scope Scope = futex::scope::process>
class basic_event {
 public:
  using epoch = std::uint32_t;

  constexpr basic_event() noexcept = default;
  basic_event(const basic_event&) = delete;
  basic_event& operator=(const basic_event&) = delete;

  /// Clears the event; returns the epoch that wait() takes. Every set() before it in the order of
  /// the word's changes happens before its return.
  [[nodiscard]] epoch reset() noexcept {
    // acquire: pairs with set(), whose value this may be, or with one that another reset() has
    // replaced since: read-modify-writes pass on what they replace. Proof: set_is_seen.
    epoch seen = word_.load(std::memory_order_acquire);
    while (seen & 1) {
      // acquire, also when it fails: a set() that found the event set left the value as it was, and
      // may be what is read here and was not above. Proof: set_is_seen.
      if (word_.compare_exchange_weak(seen, seen + 1, std::memory_order_acquire,
                                      std::memory_order_acquire)) {
        return seen + 1;
      }
    }
    return seen;
  }

  /// Sets the event and wakes everybody; returns how many slept. One system call if the event was
  /// not set, none if it was. Everything before it happens before the return of those that it ends.
  int set() noexcept {
    // release: what the caller did before, such as clearing a flag, is seen after reset() and
    // wait(). A read-modify-write: a store could be lost between a reset() and its wait(), and
    // would cut off the calls of set() before it. Proof: set_is_seen.
    const epoch before = word_.fetch_or(1, std::memory_order_release);
    return (before & 1) == 0 ? futex::wake_all(word_, Scope) : 0;
  }

  /// Returns once set() was called after the reset() that gave `since`.
  void wait(epoch since) const noexcept {
    while (would_wait(since)) futex::wait(word_, since, Scope);
  }

  /// As wait(), until `deadline` on any clock at the most. False: set() was not called in time. A
  /// deadline in the past asks without sleeping.
  template <class Clock, class Duration>
  [[nodiscard]] bool wait_until(epoch since,
                                std::chrono::time_point<Clock, Duration> deadline) const {
    while (would_wait(since)) {
      if (futex::wait_until(word_, since, deadline, Scope) == futex::outcome::timed_out) {
        return !would_wait(since);
      }
    }
    return true;
  }

  /// As wait(), for `at_most` at the most, on the steady clock.
  template <class Rep, class Period>
  [[nodiscard]] bool wait_for(epoch since, std::chrono::duration<Rep, Period> at_most) const {
    return wait_until(since, futex::deadline_after(at_most));
  }

  /// Whether wait(since) would sleep now. If not, the set() that ended it happens before.
  [[nodiscard]] bool would_wait(epoch since) const noexcept {
    // acquire: pairs with set(). Proof: wait_sees_what_was_set.
    return word_.load(std::memory_order_acquire) == since;
  }

  /// The word that threads sleep on while it holds their epoch, for those who watch.
  [[nodiscard]] const futex::word& word() const noexcept { return word_; }

 private:
  detail::ordered_atomic<epoch> word_{0};
};

using event = basic_event<>;
using interprocess_event = basic_event<futex::scope::shared>;

}  // namespace fencepost
