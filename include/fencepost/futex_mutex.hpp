// SPDX-License-Identifier: MIT
//
// A mutex whose one word counts the threads inside: lock bit and congestion in one.
//
//     fencepost::futex_mutex door;                        // constinit, four bytes, no destruction
//     { const std::lock_guard in(door); … }               // Lockable and TimedLockable
//     fencepost::interprocess_futex_mutex shared_door;    // for memory that several processes map
//
// Guaranteed: mutual exclusion; whatever precedes an unlock() happens before what follows the next
// lock; whoever sleeps in lock() is woken once the mutex is free; unlock() does not touch the word
// once another thread can have the mutex, which may then be destroyed, and at most passes its
// address to the kernel. One read-modify-write locks, one unlocks, while nobody waits.
// Not guaranteed: fairness. Sleepers are woken in the order of their sleep, but whoever runs may be
// quicker. mutex.hpp has the one that cannot be overtaken for ever.
//
// How it works. The high-order bit says that the mutex is locked, the low-order bits count the
// threads inside: the holder, and those that sleep or are about to.
//
//     0                   free
//     locked + 1          locked, nobody waits
//     locked + 1 + n      locked, n threads wait
//     n                   free, n threads wait: one of them, or a thread from outside, may take it
//     summoned            one of those who wait was woken and is on its way. Legal to be clear
//                         although there is one; illegal to be set when there is none, but by the
//                         holder who is in unlock().
//
// In the published form a thread counts itself as it arrives, and an unlock() wakes whenever there
// are others inside. Each arrival and each departure then changes the word under those who try to
// sleep on it, whose futex_wait fails so that they come back, and each unlock() makes a system call
// for a thread that has long been woken: a convoy, three to six times slower than glibc's mutex
// once threads outnumber processors. Here
// * a thread counts itself when it goes to sleep, not before: it tries and spins from outside, and
//   takes lock bit and count in one step;
// * while one is summoned nobody else is woken, and unlock() stays the one read-modify-write;
// * a thread whose futex_wait failed spins for a while before it tries to sleep again.
//
// How long to spin: the analysis that came with the published form says for E times what a failed
// futex_wait or falling asleep costs, whichever is more, where E between a half and one says how
// much of their speed the processors keep when all are busy. Measured, that is one to three
// microseconds; mutex_tuning's numbers come to that, and then offer the processor a few times,
// which on a crowded machine is what the holder waits for.
//
// Sources: J. Gustedt, "Futex based locks for C11's generic atomics" (SAC 2016); musl's __lock and
// MariaDB's srw_mutex have the same word.
#pragma once

#include "fencepost/language.hpp"

#include <atomic>
#include <cstdint>

#include "fencepost/futex.hpp"
#include "fencepost/mutex.hpp"
#include "fencepost/observer.hpp"

namespace fencepost {

namespace detail {

/// The word of a futex mutex, and how a thread that does not get it at once waits for it.
template <class Observer, futex::scope Scope, mutex_tuning Tuning>
class futex_mutex_state {
 protected:
  using observer = Observer;
  static constexpr bool catch_misuse = Tuning.catch_misuse;
  static constexpr std::uint32_t locked = std::uint32_t{1} << 31;
  static constexpr std::uint32_t held = locked + 1;
  static constexpr std::uint32_t summoned = std::uint32_t{1} << 30;
  static constexpr std::uint32_t inside = summoned - 1;

  static constexpr bool may_take(std::uint32_t seen) noexcept { return (seen & locked) == 0; }

  static constexpr std::uint32_t left(std::uint32_t seen) noexcept { return seen - held; }

  /// Whether a mutex left like this keeps sleepers whom nobody is going to wake.
  static constexpr bool owes_wake(std::uint32_t after) noexcept {
    return (after & summoned) == 0 && (after & inside) != 0;
  }

  template <class Sleep>
  bool lock_or_give_up(std::uint32_t seen, Sleep sleep) {
    if constexpr (Observer::enabled) Observer::contending(this);
    bool is_inside = false;
    bool is_summoned = false;
    bool was_hurried = false;
    unsigned spins = 0;
    unsigned sleeps = 0;
    unsigned round = 0;
    for (;;) {
      if (may_take(seen)) {
        if (!is_summoned && (seen & summoned) != 0 && gives_way<Tuning>()) {
          seen = word_.bits.load(std::memory_order_relaxed);
          continue;
        }
        std::uint32_t taken = seen + (is_inside ? locked : held);
        if (is_summoned) taken &= ~summoned;
        // acquire: as in lock(). Proof: mutual_exclusion
        if (word_.bits.compare_exchange_weak(seen, taken, std::memory_order_acquire,
                                             std::memory_order_relaxed)) {
          if constexpr (Observer::enabled) Observer::acquired(this, spins, sleeps);
          return true;
        }
        continue;
      }
      // Whoever finds others waiting does not spin, or they would never get their turn; unless it
      // was about to sleep and the word changed, which says that things go quickly here.
      if (round != Tuning.pausing_rounds + Tuning.yielding_rounds &&
          (is_summoned || was_hurried || (seen & (inside | summoned)) <= 1)) {
        ++spins;
        spin_once<Tuning>(round++);
        seen = word_.bits.load(std::memory_order_relaxed);
        continue;
      }
      const std::uint32_t asleep = (is_summoned ? seen & ~summoned : seen) + (is_inside ? 0 : 1);
      if (asleep != seen &&
          !word_.bits.compare_exchange_weak(seen, asleep, std::memory_order_relaxed)) {
        continue;
      }
      is_inside = true;
      ++sleeps;
      if constexpr (Observer::enabled) Observer::sleeping(this, word_.bits, asleep);
      const futex::outcome came = sleep(asleep);
      if constexpr (Observer::enabled) {
        if (came == futex::outcome::changed) Observer::stayed_awake(this);
        Observer::awake(this);
      }
      if (came == futex::outcome::timed_out) {
        word_.bits.fetch_sub(1, std::memory_order_relaxed);
        if constexpr (Observer::enabled) Observer::gave_up(this, spins, sleeps);
        return false;
      }
      is_summoned = came == futex::outcome::woken;
      seen = word_.bits.load(std::memory_order_relaxed);
      was_hurried = !is_summoned && (seen & summoned) == 0;
      if (is_summoned || was_hurried) round = 0;
    }
  }

  /// Finds a thread to summon, if there is one, and then releases.
  [[gnu::noinline]] void wake_and_unlock() noexcept {
    // From here on nobody falls asleep on the word as it was before.
    std::uint32_t seen = word_.bits.fetch_or(summoned, std::memory_order_relaxed) | summoned;
    const int woken = futex::wake_one(word_.bits, Scope);
    std::uint32_t after = 0;
    do {
      // A second unlock_if_locked() may have been quicker.
      after = may_take(seen) ? seen : left(seen);
      if (woken == 0) after &= ~summoned;
      // release: as in unlock(). Proof: mutual_exclusion
    } while (!word_.bits.compare_exchange_weak(seen, after, std::memory_order_release,
                                               std::memory_order_relaxed));
    wake_late(after, woken);
  }

  /// After a release that left `after` behind: somebody may have gone to sleep in the last moment,
  /// or who was woken may be asleep again. All of those are asleep by now, or about to see that the
  /// word has changed.
  [[gnu::noinline]] void wake_late(std::uint32_t after, int woken) noexcept {
    if (owes_wake(after)) woken += futex::wake_one(word_.bits, Scope);
    if constexpr (Observer::enabled) Observer::woke(this, woken);
  }

  struct type {
    static constexpr const char* name = "futex_mutex";
    static constexpr std::uint32_t locked = futex_mutex_state::locked;
    static constexpr futex::scope scope = Scope;
  };
  mutex_word<type, Tuning.catch_misuse> word_;
};

}  // namespace detail

/// The mutex, of an observer, a scope and a tuning. Its functions are in mutex/one_word_mutex.hpp.
template <class Observer = unobserved, futex::scope Scope = futex::scope::process,
          mutex_tuning Tuning = mutex_tuning{}>
using basic_futex_mutex =
    detail::one_word_mutex<detail::futex_mutex_state<Observer, Scope, Tuning>>;

using futex_mutex = basic_futex_mutex<>;
using interprocess_futex_mutex = basic_futex_mutex<unobserved, futex::scope::shared>;

static_assert(sizeof(futex_mutex) == 4);

}  // namespace fencepost
