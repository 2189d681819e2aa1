// SPDX-License-Identifier: MIT
//
// A condition variable for fencepost's mutexes, and for anything else with lock() and unlock().
//
//     fencepost::mutex door;                     { const std::lock_guard in(door); ready = true; }
//     fencepost::condition_variable changed;     changed.notify_one();
//
//     std::unique_lock in(door);
//     changed.wait(in, [&] { return ready; });
//
// The rule: change what is waited for while you hold the mutex; notify then or after the unlock.
//
// Guaranteed: a notification that follows such a change wakes a thread that waits for it, or all;
// notifying costs a load while nobody waits. Eight bytes, no allocation, zero is a valid one.
// Not guaranteed: that wait() returns for a reason, or that notify_one() wakes no more than one:
// give it the condition, or look again. Destroy it when every wait() has returned, not before.
// std::condition_variable_any takes our mutexes as well, has forms for stop tokens and may be
// destroyed as soon as everybody was notified; for that it allocates, and every call locks a mutex
// of its own.
//
// How it works. One word of 64 bits:
//
//     low half    counts notifications, modulo 2^32: this is what threads sleep on. Any change is a
//                 wake-up for those who have read it and do not sleep yet.
//     high half   counts the threads that wait. Illegal to be less than those that would sleep on
//                 if nobody notified; legal to be more: who wakes up for nothing or for lack of
//                 time stays counted, and one later notification finds nobody.
//
// wait() counts itself and reads the notifications in one step, with the mutex; then it unlocks and
// sleeps while they are unchanged. notify_one() takes one off the waiting, and adds a notification,
// in one step, so that a notification that came before a thread began to wait is not paid for with
// that thread's count; then it wakes one. 2^32 notifications between reading and sleeping would go
// unnoticed.
//
// Every operation is relaxed: the mutex orders a change of the condition before or after the moment
// in which the waiter counts itself, and the kernel its waking before or after its comparing.
// Proofs: no_lost_wakeup, notify_all, timed, with_mutex.
//
// Source: U. Drepper, "Futexes are tricky" (2011).
#pragma once

#include "fencepost/language.hpp"

#include <atomic>
#include <chrono>
#include <climits>
#include <condition_variable>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "fencepost/detail/misuse.hpp"
#include "fencepost/futex.hpp"

namespace fencepost {

namespace detail {

struct condition_variable_word {
  std::atomic<std::uint64_t> state{0};
};

/// The same for builds that catch misuse.
template <futex::scope Scope>
struct watched_condition_variable_word : condition_variable_word {
  constexpr watched_condition_variable_word() noexcept = default;
  watched_condition_variable_word(const watched_condition_variable_word&) = delete;
  watched_condition_variable_word& operator=(const watched_condition_variable_word&) = delete;
  ~watched_condition_variable_word() {
    // The count may be too high, but the kernel knows who is asleep.
    if ((state.load(std::memory_order_relaxed) >> 32) != 0 &&
        futex::wake_all(futex::low_half(state), Scope) != 0) {
      misuse("condition_variable", this, "destroyed while threads wait for it");
    }
  }
};

}  // namespace detail

template <futex::scope Scope = futex::scope::process, bool CatchMisuse = catch_misuse_by_default>
class basic_condition_variable {
 public:
  constexpr basic_condition_variable() noexcept = default;
  basic_condition_variable(const basic_condition_variable&) = delete;
  basic_condition_variable& operator=(const basic_condition_variable&) = delete;

  /// Wakes one of the threads that wait, if there are any.
  void notify_one() noexcept {
    std::uint64_t seen = word_.state.load(std::memory_order_relaxed);
    if (waiting(seen) != 0) notify(seen, 1);
  }

  /// Wakes all threads that wait.
  void notify_all() noexcept {
    std::uint64_t seen = word_.state.load(std::memory_order_relaxed);
    if (waiting(seen) != 0) notify(seen, INT_MAX);
  }

  /// Unlocks, sleeps until notified or for no reason, locks again. The calling thread holds `lock`,
  /// a std::unique_lock or a mutex itself. Throws what its lock() throws.
  template <class Lock>
  void wait(Lock& lock) {
    sleep(lock, [this](std::uint32_t seen) noexcept {
      return futex::wait(futex::low_half(word_.state), seen, Scope);
    });
  }

  /// Returns once condition(), called with the lock held, is true.
  template <class Lock, class Condition>
  void wait(Lock& lock, Condition condition) {
    while (!condition()) wait(lock);
  }

  /// As wait(), until a moment of any clock at the latest.
  template <class Lock, class Clock, class Duration>
  std::cv_status wait_until(Lock& lock, std::chrono::time_point<Clock, Duration> deadline) {
    const futex::outcome came = sleep(lock, [&](std::uint32_t seen) {
      return futex::wait_until(futex::low_half(word_.state), seen, deadline, Scope);
    });
    return came == futex::outcome::timed_out ? std::cv_status::timeout : std::cv_status::no_timeout;
  }

  /// Returns condition(), as soon as it is true or the time is over.
  template <class Lock, class Clock, class Duration, class Condition>
  bool wait_until(Lock& lock, std::chrono::time_point<Clock, Duration> deadline,
                  Condition condition) {
    while (!condition()) {
      if (wait_until(lock, deadline) == std::cv_status::timeout) return condition();
    }
    return true;
  }

  /// As wait(), for `at_most` at the most.
  template <class Lock, class Rep, class Period>
  std::cv_status wait_for(Lock& lock, std::chrono::duration<Rep, Period> at_most) {
    return wait_until(lock, futex::deadline_after(at_most));
  }

  template <class Lock, class Rep, class Period, class Condition>
  bool wait_for(Lock& lock, std::chrono::duration<Rep, Period> at_most, Condition condition) {
    return wait_until(lock, futex::deadline_after(at_most), std::move(condition));
  }

 private:
  static constexpr std::uint64_t one_waits = std::uint64_t{1} << 32;

  static constexpr std::uint32_t waiting(std::uint64_t state) noexcept {
    return static_cast<std::uint32_t>(state >> 32);
  }

  static constexpr std::uint32_t notifications(std::uint64_t state) noexcept {
    return static_cast<std::uint32_t>(state);
  }

  [[gnu::noinline]] void notify(std::uint64_t seen, int threads) noexcept {
    std::uint64_t after = 0;
    do {
      if (waiting(seen) == 0) return;
      const std::uint32_t left = threads == 1 ? waiting(seen) - 1 : 0;
      after = left * one_waits | (notifications(seen) + 1U);
    } while (!word_.state.compare_exchange_weak(seen, after, std::memory_order_relaxed));
    futex::wake(futex::low_half(word_.state), threads, Scope);
  }

  template <class Lock, class Sleep>
  futex::outcome sleep(Lock& lock, Sleep until_notified) {
    const std::uint64_t seen = word_.state.fetch_add(one_waits, std::memory_order_relaxed);
    lock.unlock();
    struct relocked {
      Lock& lock;
      ~relocked() noexcept(false) { lock.lock(); }
    } const at_the_end{lock};
    return until_notified(notifications(seen));
  }

  std::conditional_t<CatchMisuse, detail::watched_condition_variable_word<Scope>,
                     detail::condition_variable_word>
      word_;
};

using condition_variable = basic_condition_variable<>;
using interprocess_condition_variable = basic_condition_variable<futex::scope::shared>;

static_assert(sizeof(condition_variable) == 8);

}  // namespace fencepost
