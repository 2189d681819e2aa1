// SPDX-License-Identifier: MIT
//
// What mutex and futex_mutex have in common: the interface, and the ways of whoever finds the mutex
// free and leaves it to nobody. Their words mean different things, and threads wait in them by
// different rules: that is their State, which has
//
//     word_.bits              the futex word, zero while the mutex is free and nobody waits
//     locked                  the bit that says that somebody holds it
//     held                    what the word is while somebody holds it and nobody waits
//     left(seen)              what unlock() makes of the word
//     may_take(seen)          whether a thread that never waited may have it
//     owes_wake(left)         whether a mutex left like this keeps sleepers whom nobody will wake
//     summoned                the bit that says that a thread was woken and is on its way
//     lock_or_give_up(seen, sleep)    the slow way in; sleep(expected) says how a sleep ended
//     wake_and_unlock()               the slow way out; harmless where somebody else was quicker
//     wake_late(left, woken)          after a release that found the word changed
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

#include "fencepost/detail/misuse.hpp"
#include "fencepost/detail/ordered_atomic.hpp"
#include "fencepost/futex.hpp"

namespace fencepost::detail {

/// A mutex's word, with a destructor only where it has something to say. `Type` has the name of the
/// mutex, its bit that says "locked", and its scope. The other bits may speak of threads that are
/// gone, so the kernel is asked whether somebody sleeps.
template <class Type, bool CatchMisuse>
struct mutex_word {
  ordered_atomic<std::uint32_t> bits{0};
};

template <class Type>
struct mutex_word<Type, true> {
  ordered_atomic<std::uint32_t> bits{0};

  constexpr mutex_word() noexcept = default;
  mutex_word(const mutex_word&) = delete;
  mutex_word& operator=(const mutex_word&) = delete;
  ~mutex_word() {
    const std::uint32_t last = bits.load(std::memory_order_relaxed);
    if ((last & Type::locked) != 0) misuse(Type::name, this, "destroyed while it is locked");
    if (last != 0 && futex::wake_all(bits, Type::scope) != 0) {
      misuse(Type::name, this, "destroyed while threads wait for it");
    }
  }
};

template <class State>
class one_word_mutex : State {
  using State::word_;
  using typename State::observer;
  using typename State::type;

 public:
  constexpr one_word_mutex() noexcept = default;
  one_word_mutex(const one_word_mutex&) = delete;
  one_word_mutex& operator=(const one_word_mutex&) = delete;

  /// Returns holding the mutex. The calling thread must not hold it already.
  void lock() noexcept {
    if constexpr (observer::enabled) observer::taking(this);
    std::uint32_t seen = 0;
    // acquire: pairs with the release in unlock() and in State's wake_and_unlock().
    // Proof: mutual_exclusion
    if (word_.bits.compare_exchange_strong(seen, State::held, std::memory_order_acquire,
                                           std::memory_order_relaxed)) [[likely]] {
      if constexpr (observer::enabled) observer::acquired(this, 0, 0);
    } else {
      lock_slowly(seen);
    }
  }

  /// Takes the mutex if that is possible at once; never fails while it is free and not reserved.
  [[nodiscard]] bool try_lock() noexcept {
    std::uint32_t seen = 0;
    const bool taken = take(seen);
    if constexpr (observer::enabled) {
      if (!taken) observer::gave_up(this, 0, 0);
    }
    return taken;
  }

  /// Whether somebody had the mutex at that moment. It orders nothing. A free mutex that try_lock()
  /// does not get is reserved for a thread that was woken in vain too often.
  [[nodiscard]] bool is_locked() const noexcept {
    return (word_.bits.load(std::memory_order_relaxed) & State::locked) != 0;
  }

  /// Takes the mutex within that time, or returns false. Durations of zero and less try once.
  template <class Rep, class Period>
  [[nodiscard]] bool try_lock_for(std::chrono::duration<Rep, Period> at_most) noexcept {
    if (at_most <= at_most.zero()) return try_lock();
    std::uint32_t seen = 0;
    return take(seen) || lock_until(seen, futex::deadline_after(at_most));
  }

  /// The same until a moment of any clock.
  template <class Clock, class Duration>
  [[nodiscard]] bool try_lock_until(std::chrono::time_point<Clock, Duration> deadline) {
    std::uint32_t seen = 0;
    return take(seen) || lock_until(seen, deadline);
  }

  /// Releases the mutex, which the calling thread holds. Touches it no more once it is free.
  void unlock() noexcept {
    if constexpr (observer::enabled) observer::releasing(this);
    const std::uint32_t seen = word_.bits.load(std::memory_order_relaxed);
    if constexpr (State::catch_misuse) {
      if ((seen & State::locked) == 0)
        misuse(type::name, this, "unlock of a mutex that is not locked");
    }
    if (State::owes_wake(State::left(seen))) [[unlikely]] {
      this->wake_and_unlock();
      return;
    }
    // release: pairs with the acquire of whoever locks next. Proof: mutual_exclusion
    if (const std::uint32_t before = word_.bits.fetch_sub(State::held, std::memory_order_release);
        before != seen) [[unlikely]] {
      this->wake_late(State::left(before), 0);
    } else {
      if constexpr (observer::enabled) observer::woke(this, 0);
    }
  }

  /// The same, unless nobody has the mutex: then it changes nothing. For those whose callers may
  /// unlock twice, also at the same time.
  void unlock_if_locked() noexcept {
    std::uint32_t seen = word_.bits.load(std::memory_order_relaxed);
    if ((seen & State::locked) == 0) return;
    if constexpr (observer::enabled) observer::releasing(this);
    do {
      if (State::owes_wake(State::left(seen))) [[unlikely]] {
        this->wake_and_unlock();
        return;
      }
      // release: as in unlock(). Proof: unlocked_twice[one_each]
    } while (!word_.bits.compare_exchange_weak(seen, State::left(seen), std::memory_order_release,
                                               std::memory_order_relaxed) &&
             (seen & State::locked) != 0);
    if constexpr (observer::enabled) observer::woke(this, 0);
  }

 private:
  /// try_lock(), without a word about failure but what the mutex then looked like.
  bool take(std::uint32_t& seen) noexcept {
    if constexpr (observer::enabled) observer::taking(this);
    do {
      // acquire: as in lock(). Proof: try_lock
      if (word_.bits.compare_exchange_weak(seen, seen + State::held, std::memory_order_acquire,
                                           std::memory_order_relaxed)) {
        if constexpr (observer::enabled) observer::acquired(this, 0, 0);
        return true;
      }
    } while (State::may_take(seen));
    return false;
  }

  /// How long to sleep at most where the one on whom a sleeper relies may be gone: a thread of
  /// another process, which may be killed, or the one who was summoned, who after fork() may not be
  /// there.
  static constexpr std::chrono::milliseconds nap{50};

  static bool may_oversleep(std::uint32_t expected) noexcept {
    return type::scope == futex::scope::shared || (expected & State::summoned) != 0;
  }

  /// Nobody minds a thread that takes itself for summoned.
  futex::outcome take_a_nap(std::uint32_t expected) noexcept {
    const futex::outcome came = futex::nap(word_.bits, expected, nap.count(), type::scope);
    return came == futex::outcome::timed_out ? futex::outcome::woken : came;
  }

  [[gnu::noinline]] void lock_slowly(std::uint32_t seen) noexcept {
    this->lock_or_give_up(seen, [this](std::uint32_t expected) noexcept {
      if (may_oversleep(expected)) return take_a_nap(expected);
      return futex::wait(word_.bits, expected, type::scope);
    });
  }

  template <class Clock, class Duration>
  [[gnu::noinline]] bool lock_until(std::uint32_t seen,
                                    std::chrono::time_point<Clock, Duration> deadline) {
    return this->lock_or_give_up(seen, [&](std::uint32_t expected) {
      if (may_oversleep(expected) && futex::remaining(deadline) > nap) return take_a_nap(expected);
      return futex::wait_until(word_.bits, expected, deadline, type::scope);
    });
  }
};

}  // namespace fencepost::detail
