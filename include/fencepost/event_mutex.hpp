// SPDX-License-Identifier: MIT
//
// The event mutex: InnoDB's TTASEventMutex, with its memory orders as a parameter.
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
// very file; the study of the event mutex holds others that do.
//
// Guaranteed: mutual exclusion; unlock() happens before the lock() that follows it; a thread in
// lock() gets its chance after every unlock(). Not guaranteed: fairness, and the mutex must outlive
// every call of unlock(), which touches it after another thread may have locked it: do not destroy
// it from the critical section of the last user.
#pragma once

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "fencepost/event.hpp"
#include "fencepost/protocol/seq_cst.hpp"

namespace fencepost {

/// How hard lock() tries before it sleeps.
struct event_mutex_tuning {
  /// Looks at the lock word before the thread sleeps. InnoDB's innodb_sync_spin_loops.
  unsigned spin_rounds = 30;
  /// Processor pauses between two looks.
  unsigned spin_pauses = 50;
  /// Tries between the announcement and sleep; at least one is needed. Four is InnoDB's number,
  /// an old rule of thumb.
  unsigned retries = 4;
#ifdef NDEBUG
  bool catch_misuse = false;
#else
  /// Abort when a mutex that is not locked is unlocked.
  bool catch_misuse = true;
#endif
};

/// Told before and after a thread sleeps; this one costs nothing. See the stress test for another.
struct unobserved {
  static void sleeping(event&, event::epoch) noexcept {}
  static void awake() noexcept {}
};

template <class Protocol = protocol::seq_cst, event_mutex_tuning Tuning = event_mutex_tuning{},
          class Observer = unobserved>
class event_mutex {
  static_assert(Tuning.retries > 0,
                "a thread that does not look again after announcing itself "
                "sleeps through the unlock that came before");

 public:
  constexpr event_mutex() noexcept = default;
  event_mutex(const event_mutex&) = delete;
  event_mutex& operator=(const event_mutex&) = delete;

  void lock() {
    if (!words_.try_lock()) [[unlikely]]
      lock_slowly();
  }

  [[nodiscard]] bool try_lock() noexcept { return words_.try_lock(); }

  void unlock() {
    if constexpr (Tuning.catch_misuse) {
      if (!words_.is_locked()) not_locked();
    }
    if (words_.unlock()) [[unlikely]]
      wake_everybody();
  }

 private:
  [[gnu::noinline]] void lock_slowly() {
    do {
      if (spin()) return;
    } while (!lock_or_sleep());
  }

  bool spin() noexcept {
    if constexpr (Tuning.spin_rounds != 0) {
      for (unsigned round = 0; round != Tuning.spin_rounds; ++round) {
        if (!words_.is_locked() && words_.try_lock()) return true;
        for (unsigned pause = 0; pause != Tuning.spin_pauses; ++pause) relax();
      }
      std::this_thread::yield();
    }
    return false;
  }

  bool lock_or_sleep() {
    // Reserve before announcing: a set() that answers the announcement must find this epoch taken.
    const event::epoch epoch = event_.reset();
    const bool locked = words_.announce_then([this]() noexcept {
      for (unsigned n = 0; n != Tuning.retries; ++n) {
        // The flag stays raised: this thread cannot know that nobody else sleeps.
        if (words_.try_lock()) return true;
      }
      return false;
    });
    if (locked) return true;
    Observer::sleeping(event_, epoch);
    event_.wait(epoch);
    Observer::awake();
    return false;
  }

  [[gnu::noinline]] void wake_everybody() { event_.set(); }

  static void relax() noexcept {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
  }

  [[noreturn, gnu::noinline, gnu::cold]] void not_locked() const noexcept {
    std::fprintf(stderr, "fencepost::event_mutex %p: unlock of a mutex that is not locked\n",
                 static_cast<const void*>(this));
    std::abort();
  }

  Protocol words_;
  event event_;
};

}  // namespace fencepost
