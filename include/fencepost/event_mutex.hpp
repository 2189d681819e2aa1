// SPDX-License-Identifier: MIT
//
// The event mutex: InnoDB's TTASEventMutex, with its memory orders as a parameter.
//
//     fencepost::event_mutex<> mutex;                                    // portable
//     fencepost::event_mutex<fencepost::protocol::asymmetric> mutex;     // the fastest unlock()
//     const std::lock_guard guard(mutex);
//
// Standard Lockable and TimedLockable, 8 bytes, all of them zero when nobody uses it, statically
// initialised; nothing is allocated and nothing is thrown.
//
// How it works. Two words: the lock word, and a flag that says "somebody may sleep". lock() tries,
// spins, and before it sleeps reserves the event (takes its epoch), announces itself by the flag
// and tries again; unlock() frees the lock word, looks at the flag, and if it was raised lowers it
// and wakes everybody.
//
//     lock()                               unlock()
//       try, spin                            free the lock word
//       epoch = event.reset()                is the flag raised?
//       raise the flag                         lower it
//       try again, or event.wait(epoch)        event.set()
//
// The whole difficulty is that "raise the flag, then see the lock taken" must not miss "free the
// lock, then see the flag lowered": the two are the store-buffering shape, which acquire and
// release allow and some processors show. How to forbid it at which price is what a Protocol says:
// it owns the two words, and each of its four functions is one step of the picture above. A type
// serves as Protocol if it has
//
//     bool try_lock()                  takes the lock if it is free
//     bool is_locked() const           a guess, for spinning
//     bool announce_then(retry)        raises the flag, returns retry()
//     bool unlock()                    frees the lock; true: the flag was raised and is lowered,
//                                      and the caller must wake everybody
//
// protocol/ holds those that lose no wake-up by the C++20 memory model, checked together with this
// very file; each takes as parameter how it tries (try_lock/), and does not compile with a try that
// breaks it. The study of the event mutex holds others that lose wake-ups.
//
// Guaranteed: mutual exclusion; unlock() happens before the lock() that follows it; a thread in
// lock() gets its chance after every unlock().
//
// Not guaranteed: fairness; who sleeps is woken together with everybody else, and may lose to a
// thread that never slept, again and again. Nor is the mutex free to go when the last user has
// locked it: unlock() touches it after another thread may have taken it. The rule: destroy it, or
// free or unmap its memory, only when every call of unlock() has returned. A thread that locks the
// mutex, learns so that it is the last user, unlocks it and destroys it breaks the rule, for the
// unlock() of the one before may still be looking at the flag. Who needs that takes futex_mutex.hpp
// or mutex.hpp.
//
// After fork() the child has the mutex as it was at that moment: held if any thread of the parent
// held it, and then for ever. Between processes (Scope shared, and a mutex in memory that they
// map): a process that dies while it waits disturbs nobody; one that dies while it holds the mutex
// leaves it locked.
//
// Source: storage/innobase/include/ib0mutex.h of MySQL 8.0; the argument about its orders is told
// in docs/library/event_mutex.md.
#pragma once

#include "fencepost/language.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>
#include <type_traits>

#include "fencepost/detail/event.hpp"
#include "fencepost/detail/misuse.hpp"
#include "fencepost/detail/pause.hpp"
#include "fencepost/futex.hpp"
#include "fencepost/observer.hpp"
#include "fencepost/protocol/seq_cst.hpp"

namespace fencepost {

/// How hard lock() tries before it sleeps. The first three are InnoDB's variables of these names,
/// with its defaults. Where a pause takes 35 nanoseconds they make 0.15 milliseconds on the
/// average.
struct event_mutex_tuning {
  /// Looks at the lock word before the thread sleeps; 0: none, sleep at once.
  unsigned sync_spin_loops = 30;
  /// Between two looks the thread lets pass a random number of delays from 0 to this many.
  unsigned spin_wait_delay = 6;
  /// Processor pauses in one delay.
  unsigned spin_wait_pause_multiplier = 50;
  /// Tries between the announcement and sleep; at least one is needed. Four is InnoDB's number,
  /// an old rule of thumb.
  unsigned retries = 4;
  /// Abort, with a message that names mutex and thread, when a mutex that is not locked is
  /// unlocked, and when one is destroyed that is locked or has threads asleep on it.
  bool catch_misuse = catch_misuse_by_default;
};

namespace detail {

/// A number from 0 to `most`, for delays: threads that wait for the same must not look in step.
inline unsigned random_delay(unsigned most) noexcept {
  static thread_local std::uint32_t state = 0;
  // Knuth's multiplier, and a start that differs between threads.
  if (state == 0) state = static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(&state) >> 4);
  state = state * 1664525U + 1013904223U;
  return static_cast<unsigned>((std::uint64_t{state} * (std::uint64_t{most} + 1)) >> 32);
}

/// What an event mutex consists of.
template <class Protocol, futex::scope Scope>
struct event_mutex_words {
  Protocol lock;
  basic_event<Scope> event;
};

/// The same with a destructor that looks for users.
template <class Protocol, futex::scope Scope>
struct watched_event_mutex_words : event_mutex_words<Protocol, Scope> {
  ~watched_event_mutex_words() {
    if (this->lock.is_locked()) misuse("event_mutex", this, "destroyed while it is locked");
    if (futex::wake_all(this->event.word(), Scope) != 0) {
      misuse("event_mutex", this, "destroyed while threads wait for it");
    }
  }
};

}  // namespace detail

template <class Protocol = protocol::seq_cst, event_mutex_tuning Tuning = event_mutex_tuning{},
          class Observer = unobserved, futex::scope Scope = futex::scope::process>
class event_mutex {
  static_assert(Tuning.retries > 0,
                "a thread that does not look again after announcing itself "
                "sleeps through the unlock that came before");
  static constexpr bool protocol_has_scope = requires { Protocol::scope; };
  static constexpr bool scopes_agree() {
    if constexpr (protocol_has_scope) return Protocol::scope == Scope;
    return true;
  }
  static_assert(scopes_agree(), "the protocol is for the other scope: see interprocess_asymmetric");

 public:
  constexpr event_mutex() noexcept = default;
  event_mutex(const event_mutex&) = delete;
  event_mutex& operator=(const event_mutex&) = delete;

  /// Takes the mutex, waiting for as long as that takes. The unlock() before it happens before its
  /// return. Not for a thread that has it: that waits for ever.
  void lock() noexcept {
    if constexpr (Observer::enabled) Observer::taking(this);
    if (words_.lock.try_lock()) [[likely]] {
      if constexpr (Observer::enabled) Observer::acquired(this, 0, 0);
    } else {
      lock_slowly();
    }
  }

  /// Takes the mutex if it is free; says whether it did. Never fails spuriously. A success is
  /// ordered as lock(), a failure orders nothing.
  [[nodiscard]] bool try_lock() noexcept {
    if constexpr (Observer::enabled) Observer::taking(this);
    const bool locked = words_.lock.try_lock();
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
  /// then. Spins before it looks at the time, so that it may return late by that, some
  /// microseconds.
  template <class Clock, class Duration>
  [[nodiscard]] bool try_lock_until(std::chrono::time_point<Clock, Duration> deadline) {
    if constexpr (Observer::enabled) Observer::taking(this);
    if (words_.lock.try_lock()) [[likely]] {
      if constexpr (Observer::enabled) Observer::acquired(this, 0, 0);
      return true;
    }
    return acquire([this, deadline](event::epoch epoch) { return sleep_until(epoch, deadline); });
  }

  /// As lock(), for `at_most` at the most, on the steady clock.
  template <class Rep, class Period>
  [[nodiscard]] bool try_lock_for(std::chrono::duration<Rep, Period> at_most) {
    return try_lock_until(futex::deadline_after(at_most));
  }

  /// Gives the mutex back and wakes who waits. Only for the thread that has it.
  void unlock() noexcept {
    if constexpr (Tuning.catch_misuse) {
      if (!words_.lock.is_locked()) [[unlikely]]
        misuse("event_mutex", this, "unlock of a mutex that is not locked");
    }
    if constexpr (Observer::enabled) Observer::releasing(this);
    if (words_.lock.unlock()) [[unlikely]] {
      wake_everybody();
    } else {
      if constexpr (Observer::enabled) Observer::woke(this, 0);
    }
  }

 private:
  [[gnu::noinline]] void lock_slowly() noexcept {
    acquire([this](event::epoch epoch) noexcept {
      sleep(epoch);
      return true;
    });
  }

  /// `sleep_on(epoch)` says whether there is time left to try again.
  template <class sleep_on>
  bool acquire(sleep_on&& sleep) {
    unsigned spins = 0;
    unsigned sleeps = 0;
    if constexpr (Observer::enabled) Observer::contending(this);
    bool in_time = true;
    bool locked = false;
    do {
      locked = spin(spins);
      if (locked) break;
      // Reserve before announcing: a set() that answers the announcement must find this epoch
      // taken.
      const event::epoch epoch = words_.event.reset();
      locked = words_.lock.announce_then([this]() noexcept { return retry(); });
      if (locked) break;
      if constexpr (Observer::enabled) Observer::sleeping(this, words_.event.word(), epoch);
      in_time = sleep(epoch);
      if constexpr (Observer::enabled) Observer::awake(this);
      ++sleeps;
    } while (in_time);
    // Nobody counts on a thread whose time is over: set() wakes everybody, and has woken the
    // others.
    if constexpr (Observer::enabled) {
      if (locked) {
        Observer::acquired(this, spins, sleeps);
      } else {
        Observer::gave_up(this, spins, sleeps);
      }
    }
    return locked;
  }

  /// Looks for the lock to become free, and takes it then. `looks` is counted up.
  bool spin([[maybe_unused]] unsigned& looks) noexcept {
    if constexpr (Tuning.sync_spin_loops != 0) {
      for (unsigned loop = 0; loop != Tuning.sync_spin_loops; ++loop) {
        ++looks;
        if (!words_.lock.is_locked() && words_.lock.try_lock()) return true;
        unsigned pauses =
            detail::random_delay(Tuning.spin_wait_delay) * Tuning.spin_wait_pause_multiplier;
        for (; pauses != 0; --pauses) detail::pause();
      }
      // Perhaps the holder waits for this processor.
      std::this_thread::yield();
    }
    return false;
  }

  bool retry() noexcept {
    for (unsigned n = 0; n != Tuning.retries; ++n) {
      // The flag stays raised: this thread cannot know that nobody else sleeps.
      if (words_.lock.try_lock()) return true;
    }
    return false;
  }

  void sleep(event::epoch epoch) const noexcept {
    if (may_sleep_long()) {
      words_.event.wait(epoch);
    } else {
      static_cast<void>(words_.event.wait_until(epoch, soon()));
    }
  }

  template <class Clock, class Duration>
  bool sleep_until(event::epoch epoch, std::chrono::time_point<Clock, Duration> deadline) const {
    if (may_sleep_long()) return words_.event.wait_until(epoch, deadline);
    const auto left = futex::remaining(deadline);
    if (left == left.zero()) return false;
    static_cast<void>(
        words_.event.wait_until(epoch, std::min(soon(), futex::deadline_after(left))));
    return true;
  }

  /// Whether the protocol answers for the wake-up; all do but one, in some sandboxes.
  static bool may_sleep_long() noexcept {
    if constexpr (requires { Protocol::may_sleep_long(); }) return Protocol::may_sleep_long();
    return true;
  }

  static std::chrono::steady_clock::time_point soon() noexcept {
    return std::chrono::steady_clock::now() + std::chrono::milliseconds(5);
  }

  [[gnu::noinline]] void wake_everybody() noexcept {
    [[maybe_unused]] const int woken = words_.event.set();
    if constexpr (Observer::enabled) Observer::woke(this, woken);
  }

  std::conditional_t<Tuning.catch_misuse, detail::watched_event_mutex_words<Protocol, Scope>,
                     detail::event_mutex_words<Protocol, Scope>>
      words_;
};

/// An event mutex for memory that several processes map.
template <class Protocol = protocol::seq_cst, event_mutex_tuning Tuning = event_mutex_tuning{},
          class Observer = unobserved>
using interprocess_event_mutex = event_mutex<Protocol, Tuning, Observer, futex::scope::shared>;

static_assert(sizeof(event_mutex<>) == 8);

}  // namespace fencepost
