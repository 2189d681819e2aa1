// SPDX-License-Identifier: MIT
//
// Event counts: a version that threads can wait for, next to data that they share without locks.
//
//     producer                             waiter
//       change the data                      for (;;) {
//       count.increment();                     const auto seen = count.value();
//                                              if (the data is what it waits for) break;
//                                              count.wait(seen);
//                                            }
//
// A waiter takes the version before it looks at the data, and sleeps only while that version is
// still the current one: a change between the look and the sleep is not missed, and the producer
// waits for nobody. An increment with nobody asleep costs an addition and a branch, no system call.
//
// Guaranteed, of every kind:
// * no lost wake-up: wait(old) does not outlast an increment that makes the version differ from
//   `old`, and a thread that sleeps is woken by it;
// * increment() happens before the return of every value() and wait() that sees its version or a
//   later one, and with it all that the producer did before;
// * nothing allocates, throws or blocks but the waiting; errno is left alone.
//
// Not guaranteed, and worth knowing:
// * Versions wrap around, at last_version. A thread that took a version, then slept or was stopped
//   through a whole number of rounds (2^31 increments of a 32-bit count, 2^32 of one with two
//   words) before it called wait(), takes the version for unchanged and waits for the next one.
//   Who cannot exclude that takes 64 bits. Of those the kernel compares 31, or with two words
//   counts 2^30 wake-ups: what is left is a thread that is stopped for a whole number of such
//   rounds between its last look and its sleep, while others wait again; it sleeps until the next
//   increment.
// * At last_version itself the waiters of a 32-bit event_count sleep for bounded times.
// * has_waiters() may say yes with nobody there: a waiter that ran out of time leaves its flag to
//   the next increment, which then makes a system call for nothing.
// * Every sleeper is woken, not one.
// * increment() touches the object after others can see the new version: do not destroy it because
//   a wait() returned. Destroying it while threads sleep on it aborts in debug builds.
// * A process that is killed within increment() may have changed the version and woken nobody.
//   Waiters of a shared count that must survive that use the timed forms.
//
// Which kind (docs/library/event_count.md has the costs):
//
//     event_count, event_count64                   any number of producers
//     single_producer_event_count, …64             one, x86-64: 4 or 8 bytes; elsewhere it works
//                                                  and costs what event_count costs
//     two_word_event_count, …64                    one, any architecture: 8 or 16 bytes
//     interprocess_…                               the same, in memory that processes share
//
// "One producer" is one thread at a time: two that take turns need something that makes the one's
// increments happen before the other's, such as the mutex or queue that passes the turn on.
//
// How it works. One bit, the flag, says that somebody may sleep. A waiter spins, raises the flag,
// makes sure that the next increment will see it or that it sees that increment, and sleeps in the
// kernel while the version stands. An increment that finds the flag up lowers it and wakes
// everybody. How the two sides can be sure of each other is what the kinds differ in, and each of
// event_count/many_producers.hpp, one_producer.hpp and two_words.hpp opens with its argument.
//
// After Paul Khuong, "Preemption is GC for memory reordering" (2019), and his ck_ec in Concurrency
// Kit. A type serves as Kind if it is a template over a version's type, a futex's scope and a
// tuning, and has
//
//     explicit Kind(Version)              starts with this version
//     Version last_version                the greatest there is
//     Version version() const             the current one, with acquire
//     bool is_flagged() const             a guess
//     bool increment()                    makes the next version, with release; true: the flag
//                                         was up, the caller must lower it and wake everybody
//     addition<Version> add(Version)      as so many increments; that, and the version before
//     void lower()                        lowers the flag; the caller wakes everybody
//     bool raise(Version old,             raises the flag, and says for which value of bed()
//                std::uint32_t& asleep)   that stands; false: the version is not `old` any more
//     bool make_sure(Version old)         true: whoever raised the flag before the call, and finds
//                                         the version unchanged after it, will be woken
//     certainty sleeps()                  what make_sure() relies on
//     const futex::word& bed() const      where sleepers sleep
#pragma once

#include "fencepost/language.hpp"

#include <algorithm>
#include <chrono>
#include <concepts>
#include <cstdint>
#include <utility>

#include "fencepost/detail/last_waker.hpp"
#include "fencepost/detail/misuse.hpp"
#include "fencepost/detail/pause.hpp"
#include "fencepost/event_count/many_producers.hpp"
#include "fencepost/event_count/one_producer.hpp"
#include "fencepost/event_count/tuning.hpp"
#include "fencepost/event_count/two_words.hpp"
#include "fencepost/futex.hpp"

namespace fencepost {

template <template <class, futex::scope, event_count_tuning> class Kind,
          class Version = std::uint32_t, futex::scope Scope = futex::scope::process,
          event_count_tuning Tuning = event_count_tuning{}>
class basic_event_count {
  static_assert(std::same_as<Version, std::uint32_t> || std::same_as<Version, std::uint64_t>);
  using words = Kind<Version, Scope, Tuning>;

 public:
  using version_type = Version;

  /// Versions run from 0 to this one, and start again.
  static constexpr Version last_version = words::last_version;

  /// Starts with a version of 0 to last_version.
  constexpr explicit basic_event_count(Version initial = 0) noexcept : words_{initial} {}
  basic_event_count(const basic_event_count&) = delete;
  basic_event_count& operator=(const basic_event_count&) = delete;

  ~basic_event_count() {
    if constexpr (Tuning.catch_misuse) {
      if (words_.is_flagged() && futex::wake_all(words_.bed(), Scope) > 0) {
        misuse("event_count", this, "destroyed while threads sleep on it");
      }
    }
  }

  /// The current version. Acquire: the increments that led to it happen before the return.
  [[nodiscard]] Version value() const noexcept { return words_.version(); }

  /// Makes the next version and wakes everybody who waits for it. Release.
  void increment() noexcept {
    if (words_.increment()) [[unlikely]]
      wake_everybody();
  }

  /// As `n` calls of increment() in one, n from 0 to last_version; returns the version before.
  /// Adding 0 changes nothing. Release.
  Version add(Version n) noexcept {
    const auto found = words_.add(n);
    if (found.flagged) [[unlikely]]
      wake_everybody();
    return found.before;
  }

  /// Returns once the version is not `old`, with a version that it had since. Acquire.
  Version wait(Version old) const noexcept {
    const Version now = words_.version();
    if (now != old) return now;
    wait_slowly(old, never{});
    return words_.version();
  }

  /// As wait(old), until `deadline` at the latest, on any clock; whether the version is not `old`.
  template <class Clock, class Duration>
  bool wait_until(Version old, std::chrono::time_point<Clock, Duration> deadline) const {
    return words_.version() != old || wait_slowly(old, deadline);
  }

  /// As wait(old), for `at_most` at the most, on the steady clock; whether the version is not
  /// `old`.
  template <class Rep, class Period>
  bool wait_for(Version old, std::chrono::duration<Rep, Period> at_most) const noexcept {
    return words_.version() != old || wait_slowly(old, futex::deadline_after(at_most));
  }

  /// Returns once `done()` is true: asks, and asks again after each increment. What done() reads
  /// must be written before an increment. The asking thread holds no lock, and may be one of many.
  template <std::predicate Predicate>
  void wait(Predicate done) const noexcept(noexcept(done())) {
    for (;;) {
      const Version seen = value();
      if (done()) return;
      wait(seen);
    }
  }

  /// As wait(done), until `deadline` at the latest; what done() said last.
  template <class Clock, class Duration, std::predicate Predicate>
  bool wait_until(std::chrono::time_point<Clock, Duration> deadline, Predicate done) const {
    for (;;) {
      const Version seen = value();
      if (done()) return true;
      if (!wait_until(seen, deadline)) return done();
    }
  }

  /// As wait(done), for `at_most` at the most, on the steady clock; what done() said last.
  template <class Rep, class Period, std::predicate Predicate>
  bool wait_for(std::chrono::duration<Rep, Period> at_most, Predicate done) const {
    return wait_until(futex::deadline_after(at_most), std::move(done));
  }

  /// Whether the next increment will make a system call: somebody sleeps or is about to, or did and
  /// ran out of time. Orders nothing.
  [[nodiscard]] bool has_waiters() const noexcept { return words_.is_flagged(); }

  /// What a thread of this process relies on when it sleeps on a count of this type; by_time: it
  /// may be woken as late as Tuning.longest_nap after the increment, though it hardly ever is.
  [[nodiscard]] static fencepost::certainty certainty() noexcept { return words::sleeps(); }

 private:
  // The deadline of those who have none.
  struct never {};

  [[gnu::noinline]] void wake_everybody() noexcept {
    if constexpr (Tuning.spin_rounds != 0) detail::last_waker{this}.is_here();
    words_.lower();
    futex::wake_all(words_.bed(), Scope);
  }

  /// Whether the version is not `old`; false only after `deadline`.
  template <class Deadline>
  [[gnu::noinline]] bool wait_slowly(Version old, Deadline deadline) const {
    if (is_over(deadline)) return words_.version() != old;
    if constexpr (Tuning.spin_rounds != 0) {
      if (!detail::last_waker{this}.was_here() && spin(old)) return true;
    }
    std::chrono::microseconds nap{Tuning.first_nap};
    for (;;) {
      bool in_time = true;
      if (std::uint32_t asleep = 0; words_.raise(old, asleep)) {
        const bool sure = words_.make_sure(old);
        // The kernel looks at the flag's word, which need not be the version's.
        if (words_.version() != old) return true;
        if (sure) {
          in_time = sleep(asleep, deadline) != futex::outcome::timed_out;
        } else {
          // Most overwriting is over within the time of some looks.
          if (spin(old)) return true;
          in_time = doze(asleep, deadline, nap);
          nap = std::min(nap * 8, std::chrono::microseconds{Tuning.longest_nap});
        }
      }
      if (words_.version() != old) return true;
      if (!in_time) return false;
    }
  }

  bool spin(Version old) const noexcept {
    for (unsigned round = 0; round < Tuning.spin_rounds; ++round) {
      if (words_.version() != old) return true;
      detail::pause();
    }
    return false;
  }

  futex::outcome sleep(std::uint32_t asleep, never) const noexcept {
    return futex::wait(words_.bed(), asleep, Scope);
  }
  template <class Clock, class Duration>
  futex::outcome sleep(std::uint32_t asleep,
                       std::chrono::time_point<Clock, Duration> deadline) const {
    return futex::wait_until(words_.bed(), asleep, deadline, Scope);
  }

  /// Sleeps for `nap` at the most; false: `deadline` is over.
  template <class Deadline>
  bool doze(std::uint32_t asleep, Deadline deadline, std::chrono::microseconds nap) const {
    if constexpr (!std::same_as<Deadline, never>) {
      if (futex::remaining(deadline) <= nap) {
        return sleep(asleep, deadline) != futex::outcome::timed_out;
      }
    }
    sleep(asleep, std::chrono::steady_clock::now() + nap);
    return true;
  }

  static bool is_over(never) noexcept { return false; }
  template <class Clock, class Duration>
  static bool is_over(std::chrono::time_point<Clock, Duration> deadline) {
    return futex::has_passed(deadline);
  }

  // Waiting raises the flag, and changes nothing that anybody could observe but through it.
  mutable words words_;
};

/// Any number of producers.
using event_count = basic_event_count<event_count_kind::many_producers>;
using event_count64 = basic_event_count<event_count_kind::many_producers, std::uint64_t>;

/// One producer at a time, x86-64.
using single_producer_event_count = basic_event_count<event_count_kind::one_producer>;
using single_producer_event_count64 =
    basic_event_count<event_count_kind::one_producer, std::uint64_t>;

/// One producer at a time, any architecture.
using two_word_event_count = basic_event_count<event_count_kind::two_words>;
using two_word_event_count64 = basic_event_count<event_count_kind::two_words, std::uint64_t>;

/// In memory that several processes map.
using interprocess_event_count =
    basic_event_count<event_count_kind::many_producers, std::uint32_t, futex::scope::shared>;
using interprocess_event_count64 =
    basic_event_count<event_count_kind::many_producers, std::uint64_t, futex::scope::shared>;
using interprocess_single_producer_event_count =
    basic_event_count<event_count_kind::one_producer, std::uint32_t, futex::scope::shared>;
using interprocess_single_producer_event_count64 =
    basic_event_count<event_count_kind::one_producer, std::uint64_t, futex::scope::shared>;
using interprocess_two_word_event_count =
    basic_event_count<event_count_kind::two_words, std::uint32_t, futex::scope::shared>;
using interprocess_two_word_event_count64 =
    basic_event_count<event_count_kind::two_words, std::uint64_t, futex::scope::shared>;

}  // namespace fencepost
