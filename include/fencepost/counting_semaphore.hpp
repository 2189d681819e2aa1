// SPDX-License-Identifier: MIT
//
// A semaphore: a number of permits that threads take and wait for, and that anybody gives back.
//
//     fencepost::counting_semaphore<> free_slots{16};       // constinit
//     free_slots.acquire();                                 free_slots.release();
//     if (free_slots.try_acquire_for(20ms)) …               free_slots.release(4);
//
// The interface is std::counting_semaphore's; binary_semaphore has at most one permit, and
// interprocess_counting_semaphore is for memory that several processes map. Eight bytes, no
// allocation, no destruction.
//
// Guaranteed:
// * Never are more permits out than were given. Whatever precedes a release() happens before what
//   follows the acquire() that takes one of its permits, or one that was given later. Proof:
//   exclusion.
// * No wake-up is lost. Proofs: no_lost_wakeup, timed, abandoned.
// * release() does not touch the semaphore once another thread can have the permit, and at most
//   passes its address to the kernel: who acquired may destroy it. Proof: destruction.
// * try_acquire() does not fail while there is a permit. release() and try_release() may be called
//   in signal handlers, also where they interrupt a call of the same semaphore.
// Not guaranteed: an order among those who wait, or that a woken thread finds a permit before one
// that has just come.
//
// How it works. One word of 64 bits:
//
//     low half    the permits: this is what threads sleep on, and only while it is zero.
//     high half   counts the threads that wait. Illegal to be less than those that sleep; legal to
//                 be more: a release then calls the kernel for nobody.
//
// A thread that waits counts itself before it sleeps, and takes a permit and its count back in one
// step. A release adds permits and learns in the same step whether there are threads to wake; it
// wakes as many as it gave permits. Whoever is awake looks before it sleeps again, and the kernel
// compares: so there is never a permit and a sleeper unless somebody is on the way to one of them.
//
// Source: glibc's semaphore since 2.21, for taking and uncounting in one step, which is what makes
// the destruction safe that glibc bug 12674 is about.
#pragma once

#include "fencepost/language.hpp"

#include <atomic>
#include <chrono>
#include <climits>
#include <cstddef>
#include <cstdint>

#include "fencepost/detail/kernel.hpp"
#include "fencepost/detail/misuse.hpp"
#include "fencepost/detail/ordered_atomic.hpp"
#include "fencepost/detail/pause.hpp"
#include "fencepost/futex.hpp"

namespace fencepost {

/// What a thread does that finds no permit.
struct semaphore_tuning {
  /// Looks before it sleeps: between the first ones processor pauses, `first_pauses` and twice as
  /// many each time; before the others the processor is offered to whoever else can run.
  unsigned pausing_rounds = 3;
  unsigned first_pauses = 32;
  unsigned yielding_rounds = 4;
  /// Abort with a message when more permits are given than there may be.
  bool catch_misuse = catch_misuse_by_default;
};

/// How many permits a semaphore can have, whatever it says that it will have.
inline constexpr std::ptrdiff_t most_permits = INT_MAX;

template <std::ptrdiff_t Most = most_permits, futex::scope Scope = futex::scope::process,
          semaphore_tuning Tuning = semaphore_tuning{}>
class basic_counting_semaphore {
  static_assert(Most >= 0 && Most <= most_permits);
  static_assert(Tuning.pausing_rounds < 32, "the pauses double in each round");

 public:
  /// The permits that there are at first: 0 to max().
  constexpr explicit basic_counting_semaphore(std::ptrdiff_t permits) noexcept
      : word_(static_cast<std::uint64_t>(permits)) {
    if constexpr (Tuning.catch_misuse) {
      if (permits < 0 || permits > Most)
        misuse("counting_semaphore", this, "made with fewer permits than none, or too many");
    }
  }
  basic_counting_semaphore(const basic_counting_semaphore&) = delete;
  basic_counting_semaphore& operator=(const basic_counting_semaphore&) = delete;

  [[nodiscard]] static constexpr std::ptrdiff_t max() noexcept { return Most; }

  /// Takes a permit, and waits until there is one.
  void acquire() noexcept {
    if (try_acquire()) return;
    static_cast<void>(acquire_by([](const futex::word& on, std::uint32_t expected) noexcept {
      return futex::wait(on, expected, Scope);
    }));
  }

  /// Takes a permit if there is one; never fails while that is so.
  [[nodiscard]] bool try_acquire() noexcept {
    std::uint64_t seen = word_.load(std::memory_order_relaxed);
    return take(seen, 1);
  }

  /// Takes a permit within that time, or returns false. Durations of zero and less try once.
  template <class Rep, class Period>
  [[nodiscard]] bool try_acquire_for(std::chrono::duration<Rep, Period> at_most) noexcept {
    return try_acquire() || (at_most > at_most.zero() && until(futex::deadline_after(at_most)));
  }

  /// The same until a moment of any clock.
  template <class Clock, class Duration>
  [[nodiscard]] bool try_acquire_until(std::chrono::time_point<Clock, Duration> deadline) {
    return try_acquire() || until(deadline);
  }

  /// Gives `permits`, 0 to max(), and wakes as many threads. There must not be more than max()
  /// then.
  void release(std::ptrdiff_t permits = 1) noexcept {
    // release: pairs with the acquire in take(). Proof: exclusion
    const std::uint64_t before =
        word_.fetch_add(static_cast<std::uint64_t>(permits), std::memory_order_release);
    if constexpr (Tuning.catch_misuse) {
      if (permits < 0 || permits > Most - permits_in(before))
        misuse("counting_semaphore", this, "more permits than there may be");
    }
    wake(before, permits);
  }

  /// The same, unless there would be more than max(), or `permits` is negative: then it changes
  /// nothing and returns false.
  [[nodiscard]] bool try_release(std::ptrdiff_t permits = 1) noexcept {
    std::uint64_t seen = word_.load(std::memory_order_relaxed);
    do {
      if (permits < 0 || permits > Most - permits_in(seen)) return false;
      // release: pairs with the acquire in take(). Proof: exclusion
    } while (!word_.compare_exchange_weak(seen, seen + static_cast<std::uint64_t>(permits),
                                          std::memory_order_release, std::memory_order_relaxed));
    wake(seen, permits);
    return true;
  }

  /// How many permits there are. A guess, as soon as it is returned.
  [[nodiscard]] std::ptrdiff_t permits() const noexcept {
    return permits_in(word_.load(std::memory_order_relaxed));
  }

  /// Takes a permit for a thread that sleeps in its own way: sleep(word, expected) does what
  /// futex::wait() does. False: it came back with a signal, or for lack of time and there was no
  /// permit. What a signal's handler released is left to whoever comes next.
  template <class Sleep>
  [[nodiscard, gnu::noinline]] bool acquire_by(Sleep sleep) {
    for (unsigned round = 0; round != Tuning.pausing_rounds + Tuning.yielding_rounds; ++round) {
      spin(round);
      if (try_acquire()) return true;
    }
    std::uint64_t seen = word_.fetch_add(one_waits, std::memory_order_relaxed) + one_waits;
    for (;;) {
      if (take(seen, one_waits + 1)) return true;
      const futex::outcome came = sleep(futex::low_half(word_), std::uint32_t{0});
      seen = word_.load(std::memory_order_relaxed);
      if (came != futex::outcome::timed_out && came != futex::outcome::interrupted) continue;
      // It sleeps no more, and nobody woke it: there is nobody whose wake-up it would take along.
      if (came == futex::outcome::interrupted) {
        word_.fetch_sub(one_waits, std::memory_order_relaxed);
        return false;
      }
      do {
        if (take(seen, one_waits + 1)) return true;
      } while (!word_.compare_exchange_weak(seen, seen - one_waits, std::memory_order_relaxed));
      return false;
    }
  }

  /// For a thread that will not return from the sleep() of acquire_by(), for it was cancelled
  /// there: it waits no more. It may have been woken before, so it wakes another one.
  void abandon() noexcept {
    const std::uint64_t before = word_.fetch_sub(one_waits, std::memory_order_relaxed);
    if (permits_in(before) != 0) wake(before - one_waits, 1);
  }

 private:
  static constexpr std::uint64_t one_waits = std::uint64_t{1} << 32;

  static constexpr std::ptrdiff_t permits_in(std::uint64_t state) noexcept {
    return static_cast<std::ptrdiff_t>(static_cast<std::uint32_t>(state));
  }

  /// Subtracts `what`, a permit at least, if there is one in the word as it is or was `seen`.
  bool take(std::uint64_t& seen, std::uint64_t what) noexcept {
    while (permits_in(seen) != 0) {
      // acquire: pairs with release() and try_release(). Proof: exclusion
      if (word_.compare_exchange_weak(seen, seen - what, std::memory_order_acquire,
                                      std::memory_order_relaxed)) {
        return true;
      }
    }
    return false;
  }

  void wake(std::uint64_t before, std::ptrdiff_t permits) noexcept {
    if (before >= one_waits) futex::wake(futex::low_half(word_), static_cast<int>(permits), Scope);
  }

  template <class Point>
  bool until(Point deadline) {
    return acquire_by([&](const futex::word& on, std::uint32_t expected) {
      return futex::wait_until(on, expected, deadline, Scope);
    });
  }

  static void spin(unsigned round) noexcept {
    if (round < Tuning.pausing_rounds) {
      for (unsigned n = Tuning.first_pauses << round; n != 0; --n) detail::pause();
    } else {
      kernel::yield();
    }
  }

  detail::ordered_atomic<std::uint64_t> word_;
};

template <std::ptrdiff_t Most = most_permits>
using counting_semaphore = basic_counting_semaphore<Most>;
using binary_semaphore = counting_semaphore<1>;
template <std::ptrdiff_t Most = most_permits>
using interprocess_counting_semaphore = basic_counting_semaphore<Most, futex::scope::shared>;

static_assert(sizeof(binary_semaphore) == 8);

}  // namespace fencepost
