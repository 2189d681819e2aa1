// SPDX-License-Identifier: MIT
//
// The spin mutex: one byte, and no thread ever sleeps on it.
//
//     fencepost::spin_mutex mutex;
//     const std::lock_guard guard(mutex);          // a few instructions, nothing that blocks
//
// Standard Lockable and TimedLockable, one byte that is zero when nobody has it, statically
// initialised; nothing is allocated and nothing is thrown. It may lie in memory that several
// processes map.
//
// For sections of a few instructions that never block, where a sleeper would take longer to wake
// than the section to end, and for where no system call may be made to unlock. With more threads
// than processors the scheduler may take the processor from the holder; all others then wait for as
// long as it keeps it. mutex.hpp is as fast while nobody waits, and better for everything else.
//
// How it works: test-and-test-and-set with back-off. A thread that finds the lock taken watches it
// with plain loads, which leave the holder's cache line alone, and tries again when it looks free;
// between two looks it pauses, twice as long each time up to a bound. When that has gone on for
// longer than any section should take, the holder has probably lost its processor: from then on the
// thread gives its own away (sched_yield) before each look.
//
// Guaranteed: mutual exclusion; unlock() happens before the lock() that follows it; unlock() is a
// store and touches nothing afterwards, so that who has locked the mutex after the last unlock()
// may destroy it. Not guaranteed: fairness; progress where the holder cannot run, as when a
// real-time thread spins for one of lower priority on the same processor. Not for signal handlers
// that may interrupt the holder.
//
// After fork() the child has the mutex as it was at that moment: held if any thread of the parent
// held it, and then for ever.
//
// Source: Anderson, "The performance of spin lock alternatives for shared-memory multiprocessors",
// IEEE TPDS 1990, for the back-off.
#pragma once

#include "fencepost/language.hpp"

#include <sched.h>

#include <atomic>
#include <chrono>
#include <type_traits>

#include "fencepost/detail/misuse.hpp"
#include "fencepost/detail/pause.hpp"
#include "fencepost/futex.hpp"
#include "fencepost/observer.hpp"

namespace fencepost {

/// How lock() waits.
struct spin_mutex_tuning {
  /// Processor pauses after the first look that found the lock taken; doubled after each. 0: looks
  /// follow each other at once and the processor is never given away, which is for proofs alone.
  unsigned first_pauses = 4;
  /// The bound of that. A pause takes 10 to 140 cycles, depending on the processor.
  unsigned most_pauses = 64;
  /// Pauses in all after which the holder is taken to have lost its processor.
  unsigned pauses_before_yield = 1000;
  /// Abort, with a message that names mutex and thread, when a mutex that is not locked is
  /// unlocked, and when one is destroyed that is locked.
  bool catch_misuse = catch_misuse_by_default;
};

namespace detail {

struct spin_mutex_word {
  // true: locked. Raised by exchange alone, lowered by the thread that has the lock.
  std::atomic<bool> locked{false};
};

/// The same with a destructor that looks for a holder.
struct watched_spin_mutex_word : spin_mutex_word {
  ~watched_spin_mutex_word() {
    if (locked.load(std::memory_order_relaxed)) {
      misuse("spin_mutex", this, "destroyed while it is locked");
    }
  }
};

}  // namespace detail

template <class Observer = unobserved, spin_mutex_tuning Tuning = spin_mutex_tuning{}>
class basic_spin_mutex {
  static_assert(Tuning.first_pauses <= Tuning.most_pauses);

 public:
  constexpr basic_spin_mutex() noexcept = default;
  basic_spin_mutex(const basic_spin_mutex&) = delete;
  basic_spin_mutex& operator=(const basic_spin_mutex&) = delete;

  /// Takes the mutex, spinning for as long as that takes. The unlock() before it happens before its
  /// return. Not for a thread that has it: that spins for ever.
  void lock() noexcept {
    if constexpr (Observer::enabled) Observer::taking(this);
    if (take()) [[likely]] {
      if constexpr (Observer::enabled) Observer::acquired(this, 0, 0);
    } else {
      lock_slowly();
    }
  }

  /// Takes the mutex if it is free; says whether it did. Never fails spuriously. A success is
  /// ordered as lock(), a failure orders nothing.
  [[nodiscard]] bool try_lock() noexcept {
    if constexpr (Observer::enabled) Observer::taking(this);
    const bool locked = take();
    if constexpr (Observer::enabled) {
      if (locked) {
        Observer::acquired(this, 0, 0);
      } else {
        Observer::gave_up(this, 0, 0);
      }
    }
    return locked;
  }

  /// As lock(), until `deadline` on any clock at the most: false if the mutex could not be had by
  /// then. Asks the clock at every look.
  template <class Clock, class Duration>
  [[nodiscard]] bool try_lock_until(std::chrono::time_point<Clock, Duration> deadline) {
    if constexpr (Observer::enabled) Observer::taking(this);
    if (take()) [[likely]] {
      if constexpr (Observer::enabled) Observer::acquired(this, 0, 0);
      return true;
    }
    return spin([deadline] { return futex::has_passed(deadline); });
  }

  /// As lock(), for `at_most` at the most, on the steady clock.
  template <class Rep, class Period>
  [[nodiscard]] bool try_lock_for(std::chrono::duration<Rep, Period> at_most) {
    return try_lock_until(futex::deadline_after(at_most));
  }

  /// Gives the mutex back. Only for the thread that has it.
  void unlock() noexcept {
    if constexpr (Tuning.catch_misuse) {
      if (!word_.locked.load(std::memory_order_relaxed)) [[unlikely]]
        misuse("spin_mutex", this, "unlock of a mutex that is not locked");
    }
    if constexpr (Observer::enabled) Observer::releasing(this);
    // release: pairs with take(). Proof: mutual_exclusion.
    word_.locked.store(false, std::memory_order_release);
    if constexpr (Observer::enabled) Observer::woke(this, 0);
  }

 private:
  bool take() noexcept {
    // acquire: pairs with unlock(). Proof: mutual_exclusion.
    return !word_.locked.exchange(true, std::memory_order_acquire);
  }

  [[gnu::noinline]] void lock_slowly() noexcept {
    spin([]() noexcept { return false; });
  }

  template <class time_is_over>
  bool spin(time_is_over&& is_over) {
    unsigned looks = 0;
    unsigned pauses = Tuning.first_pauses;
    unsigned paused = 0;
    if constexpr (Observer::enabled) Observer::contending(this);
    for (;;) {
      if constexpr (Observer::enabled) ++looks;
      // relaxed: a guess; take() decides.
      if (!word_.locked.load(std::memory_order_relaxed) && take()) {
        if constexpr (Observer::enabled) Observer::acquired(this, looks, 0);
        return true;
      }
      if (is_over()) {
        if constexpr (Observer::enabled) Observer::gave_up(this, looks, 0);
        return false;
      }
      if constexpr (Tuning.first_pauses != 0) {
        if (paused >= Tuning.pauses_before_yield) {
          ::sched_yield();
        } else {
          for (unsigned n = 0; n != pauses; ++n) detail::pause();
          paused += pauses;
          pauses = pauses < Tuning.most_pauses / 2 ? pauses * 2 : Tuning.most_pauses;
        }
      }
    }
  }

  std::conditional_t<Tuning.catch_misuse, detail::watched_spin_mutex_word, detail::spin_mutex_word>
      word_;
};

using spin_mutex = basic_spin_mutex<>;
static_assert(sizeof(spin_mutex) == 1);

}  // namespace fencepost
