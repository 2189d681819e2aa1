// SPDX-License-Identifier: MIT
//
// A mutex that either one thread has, or any number share: four bytes, no allocation, no
// destruction.
//
//     fencepost::shared_mutex door;                 // constinit: zero is a valid, free mutex
//     { const std::lock_guard in(door); … }         // one writer: Lockable, TimedLockable
//     { const std::shared_lock in(door); … }        // readers: SharedLockable, SharedTimedLockable
//     fencepost::interprocess_shared_mutex shared;  // for memory that several processes map
//
// Each reader changes the word as it comes and as it goes, so that readers on several processors
// pass one cache line around: for sections of less than a microsecond mutex.hpp is no slower, and
// hazard_pointer.hpp, rcu.hpp and concurrent_hash_map.hpp have readers that write only to memory of
// their own.
//
// Guaranteed:
// * While a thread has it exclusively nobody else has it. Whatever precedes an unlock() happens
//   before what follows a later lock() or lock_shared(), and whatever precedes an unlock_shared()
//   before what follows a later lock(). Proof: exclusion.
// * No wake-up is lost. Proofs: no_lost_wakeup, timed.
// * Readers wait for nobody but a writer who has it: a thread that shares it may share it once
// more.
// * An unlock does not touch the mutex once another thread can have it, and at most passes its
//   address to the kernel: who has it last may destroy it. Proof: destruction.
// Not guaranteed: that a writer gets its turn while readers overlap without end; an order among
// those who wait; that the mutex survives the death of who has it. A child of fork() gets it as it
// was.
//
// How it works. One word:
//
//     written         a writer has it. Then the count is zero.
//     readers_asleep  Illegal to be clear while a reader sleeps; set only while `written` is.
//     writers_asleep  Illegal to be clear while a writer sleeps, unless another one was woken and
//                     has neither got the mutex nor gone back to sleep: then that one sets it.
//     the rest        counts the readers that have it.
//
// All sleep on that word. Readers sleep only while a writer has it, so that whom the last reader
// wakes is a writer, and one is enough; a writer that leaves wakes one if only writers sleep, and
// everybody if there are readers among them. Each flag is set and found by read-modify-writes of
// the one word on which they sleep, which is why all but the orders of the protected data are
// relaxed.
//
// Source: U. Drepper, "Futexes are tricky" (2011), for sleeping on a word with a flag; preferring
// readers is what POSIX's rwlocks do in glibc.
#pragma once

#include "fencepost/language.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>

#include "fencepost/detail/kernel.hpp"
#include "fencepost/detail/misuse.hpp"
#include "fencepost/detail/ordered_atomic.hpp"
#include "fencepost/detail/pause.hpp"
#include "fencepost/futex.hpp"

namespace fencepost {

/// What a thread does that finds the mutex taken.
struct shared_mutex_tuning {
  /// Looks before it sleeps: between the first ones processor pauses, `first_pauses` and twice as
  /// many each time; before the others the processor is offered to whoever else can run.
  unsigned pausing_rounds = 3;
  unsigned first_pauses = 32;
  unsigned yielding_rounds = 10;
  /// Abort with a message when a mutex that is not held so is unlocked.
  bool catch_misuse = catch_misuse_by_default;
};

template <futex::scope Scope = futex::scope::process,
          shared_mutex_tuning Tuning = shared_mutex_tuning{}>
class basic_shared_mutex {
  static_assert(Tuning.pausing_rounds < 32, "the pauses double in each round");

 public:
  constexpr basic_shared_mutex() noexcept = default;
  basic_shared_mutex(const basic_shared_mutex&) = delete;
  basic_shared_mutex& operator=(const basic_shared_mutex&) = delete;

  /// Returns having the mutex alone. The calling thread must not have it already.
  void lock() noexcept {
    if (!try_lock()) static_cast<void>(acquire<writer>(sleep_long{}));
  }

  /// Takes it alone if nobody has it; never fails while that is so.
  [[nodiscard]] bool try_lock() noexcept { return take<writer>(0, 0); }

  /// Takes it alone within that time, or returns false. Durations of zero and less try once.
  template <class Rep, class Period>
  [[nodiscard]] bool try_lock_for(std::chrono::duration<Rep, Period> at_most) noexcept {
    return try_lock() || (at_most > at_most.zero() &&
                          acquire<writer>(sleep_until{futex::deadline_after(at_most)}));
  }

  /// The same until a moment of any clock.
  template <class Clock, class Duration>
  [[nodiscard]] bool try_lock_until(std::chrono::time_point<Clock, Duration> deadline) {
    return try_lock() || acquire<writer>(sleep_until{deadline});
  }

  /// Gives it back, and wakes who waits. Only for the thread that has it alone.
  void unlock() noexcept {
    if constexpr (Tuning.catch_misuse) {
      if ((word_.load(std::memory_order_relaxed) & written) == 0)
        misuse("shared_mutex", this, "unlock of a mutex that nobody has alone");
    }
    // release: pairs with the acquire in take(). Proof: exclusion
    const std::uint32_t before = word_.exchange(0, std::memory_order_release);
    if ((before & readers_asleep) != 0) {
      futex::wake_all(word_, Scope);
    } else if ((before & writers_asleep) != 0) {
      futex::wake_one(word_, Scope);
    }
  }

  /// Returns sharing the mutex. The calling thread must not have it alone.
  void lock_shared() noexcept {
    if (!try_lock_shared()) static_cast<void>(acquire<reader>(sleep_long{}));
  }

  /// Shares it if nobody has it alone; never fails while that is so, but for the reader that would
  /// be the 2^29th.
  [[nodiscard]] bool try_lock_shared() noexcept {
    return take<reader>(word_.load(std::memory_order_relaxed), 0);
  }

  /// Shares it within that time, or returns false. Durations of zero and less try once.
  template <class Rep, class Period>
  [[nodiscard]] bool try_lock_shared_for(std::chrono::duration<Rep, Period> at_most) noexcept {
    return try_lock_shared() || (at_most > at_most.zero() &&
                                 acquire<reader>(sleep_until{futex::deadline_after(at_most)}));
  }

  /// The same until a moment of any clock.
  template <class Clock, class Duration>
  [[nodiscard]] bool try_lock_shared_until(std::chrono::time_point<Clock, Duration> deadline) {
    return try_lock_shared() || acquire<reader>(sleep_until{deadline});
  }

  /// Gives a share back; the last one to do so wakes a writer that waits.
  void unlock_shared() noexcept {
    if constexpr (Tuning.catch_misuse) {
      if ((word_.load(std::memory_order_relaxed) & readers) == 0)
        misuse("shared_mutex", this, "unlock_shared of a mutex that nobody shares");
    }
    // release: pairs with the acquire in take(), of the writer that comes next: it must not change
    // what is still read here. Proof: exclusion
    const std::uint32_t before = word_.fetch_sub(1, std::memory_order_release);
    // The flag stays: whoever is woken may be one of several.
    if (before == (writers_asleep | 1)) futex::wake_one(word_, Scope);
  }

  /// The same, unless nobody shares it: then it changes nothing. For those whose callers may unlock
  /// twice, also at the same time.
  void unlock_if_shared() noexcept {
    std::uint32_t seen = word_.load(std::memory_order_relaxed);
    do {
      if ((seen & readers) == 0) return;
      // release: as in unlock_shared(). Proof: unlocked_twice[once]
    } while (!word_.compare_exchange_weak(seen, seen - 1, std::memory_order_release,
                                          std::memory_order_relaxed));
    if (seen == (writers_asleep | 1)) futex::wake_one(word_, Scope);
  }

  /// Does a thread have it alone? A guess, as soon as it is returned.
  [[nodiscard]] bool is_locked() const noexcept {
    return (word_.load(std::memory_order_relaxed) & written) != 0;
  }

  /// Do as many threads share it as can? A guess, as soon as it is returned.
  [[nodiscard]] bool is_full() const noexcept {
    return (word_.load(std::memory_order_relaxed) & readers) == readers;
  }

 private:
  static constexpr std::uint32_t written = std::uint32_t{1} << 31;
  static constexpr std::uint32_t readers_asleep = std::uint32_t{1} << 30;
  static constexpr std::uint32_t writers_asleep = std::uint32_t{1} << 29;
  static constexpr std::uint32_t readers = writers_asleep - 1;

  struct writer {
    static constexpr std::uint32_t asleep = writers_asleep;
    static constexpr bool may_take(std::uint32_t seen) noexcept {
      return (seen & (written | readers)) == 0;
    }
    static constexpr std::uint32_t taken(std::uint32_t seen) noexcept { return seen | written; }
    static constexpr bool may_sleep(std::uint32_t) noexcept { return true; }
  };

  struct reader {
    static constexpr std::uint32_t asleep = readers_asleep;
    static constexpr bool may_take(std::uint32_t seen) noexcept {
      return (seen & written) == 0 && (seen & readers) != readers;
    }
    static constexpr std::uint32_t taken(std::uint32_t seen) noexcept { return seen + 1; }
    // Only a writer wakes readers.
    static constexpr bool may_sleep(std::uint32_t seen) noexcept { return (seen & written) != 0; }
  };

  struct sleep_long {
    futex::outcome operator()(const futex::word& on, std::uint32_t value) const noexcept {
      return futex::wait(on, value, Scope);
    }
    static bool is_over() noexcept { return false; }
  };

  template <class Point>
  struct sleep_until {
    Point deadline;
    futex::outcome operator()(const futex::word& on, std::uint32_t value) const {
      return futex::wait_until(on, value, deadline, Scope);
    }
    [[nodiscard]] bool is_over() const { return futex::has_passed(deadline); }
  };
  template <class Point>
  sleep_until(Point) -> sleep_until<Point>;

  /// Takes the mutex if it may, in the word as it is or was `seen`; sets `flags` with it.
  template <class Who>
  bool take(std::uint32_t seen, std::uint32_t flags) noexcept {
    while (Who::may_take(seen)) {
      // acquire: pairs with unlock(), and for a writer with unlock_shared(). Proof: exclusion
      if (word_.compare_exchange_weak(seen, Who::taken(seen) | flags, std::memory_order_acquire,
                                      std::memory_order_relaxed)) {
        return true;
      }
    }
    return false;
  }

  static void spin(unsigned round) noexcept {
    if (round < Tuning.pausing_rounds) {
      for (unsigned n = Tuning.first_pauses << round; n != 0; --n) detail::pause();
    } else {
      kernel::yield();
    }
  }

  /// Tries, spins and sleeps until it has the mutex; false: sleep() says that its time is over.
  template <class Who, class Sleep>
  [[gnu::noinline]] bool acquire(Sleep sleep) {
    // Behind a writer that was woken there may be more of them.
    std::uint32_t behind = 0;
    unsigned round = 0;
    for (;;) {
      std::uint32_t seen = word_.load(std::memory_order_relaxed);
      if (take<Who>(seen, behind)) return true;
      if (round != Tuning.pausing_rounds + Tuning.yielding_rounds) {
        spin(round++);
        continue;
      }
      seen = word_.load(std::memory_order_relaxed);
      if (Who::may_take(seen)) continue;
      if (!Who::may_sleep(seen)) {
        // As many readers as there can be: nobody wakes the one that would be one more.
        if (sleep.is_over()) return false;
        kernel::yield();
        continue;
      }
      if ((seen & Who::asleep) == 0 &&
          !word_.compare_exchange_weak(seen, seen | Who::asleep, std::memory_order_relaxed)) {
        continue;
      }
      const futex::outcome came = sleep(word_, seen | Who::asleep);
      if (came == futex::outcome::timed_out) return false;
      if constexpr (Who::asleep == writers_asleep) {
        if (came == futex::outcome::woken) behind = writers_asleep;
      }
      round = 0;
    }
  }

  detail::ordered_atomic<std::uint32_t> word_{0};
};

using shared_mutex = basic_shared_mutex<>;
using interprocess_shared_mutex = basic_shared_mutex<futex::scope::shared>;

static_assert(sizeof(shared_mutex) == 4);

}  // namespace fencepost
