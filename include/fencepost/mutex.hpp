// SPDX-License-Identifier: MIT
//
// The mutex to use where nothing special is asked for: four bytes, no allocation, no destruction.
//
//     fencepost::mutex door;                        // constinit: zero is a valid, unlocked mutex
//     { const std::lock_guard in(door); … }         // Lockable and TimedLockable
//     if (door.try_lock_for(20ms)) …
//     fencepost::interprocess_mutex shared_door;    // for memory that several processes map
//
// Guaranteed:
// * Mutual exclusion, and whatever precedes an unlock() happens before what follows the next lock.
// * No wake-up is lost: whoever sleeps in lock() is woken once the mutex is free.
// * unlock() does not touch the mutex once another thread can have it, and at most passes its
//   address to the kernel: the thread that locks it next may unlock and destroy it.
// * A sleeper is not overtaken for ever. Running threads may overtake sleeping ones, which is what
//   makes the mutex quick; but they offer their processor after a thousand times, and a thread that
//   was woken `patience` times for nothing reserves the mutex. From then on no thread that has not
//   slept overtakes it, and the mutex goes from sleeper to sleeper, in the order in which the
//   kernel wakes them (by priority, then by the time of their sleep), until that thread had it.
//   Proof: bounded_overtaking.
// Not guaranteed: an order among threads that have not slept; anything that is a matter of time: a
// thread may fail to fall asleep because the word changes each time, one that was woken may get no
// processor for so long that others take it for gone (below); recursion; survival of the death of
// the holder. A child of fork() gets the mutex as it was: if another thread held it, for ever.
//
// How it works. One word:
//
//     locked     somebody holds the mutex.
//     sleepers   Illegal to be clear while a thread sleeps and nobody is in unlock(); legal to be
//                set when nobody sleeps (any more).
//     summoned   A thread was woken and has neither got the mutex nor gone back to sleep. Legal to
//                be clear although there is one; illegal to be set when there is none, but by the
//                holder who is in unlock().
//     reserve    The other bits count the threads that were woken in vain too often. While it is
//                not zero, only they and summoned threads may take the mutex.
//
// From these: a mutex is free with sleepers set and summoned clear only while somebody is about to
// be woken. So a thread may sleep while the word says locked, for the holder will see to it; and
// while it says summoned, for the summoned thread will be the holder; and unlock() has nothing to
// do but to clear one bit unless it finds sleepers and nobody summoned. There is at most one thread
// on its way back from sleep at a time, which costs 20 microseconds, and meanwhile the mutex is
// taken and released many times.
//
// A summoned thread, or one that has reserved, may be gone: killed with its process, or left behind
// in the parent by a fork(). So nobody relies on either for ever: whoever sleeps while one is
// summoned naps, and whoever defers to a reservation uses it up in the end.
//
// unlock() wakes before it releases, not after: only the count that comes back from the kernel says
// whether there is somebody to call summoned, and after the release the word may no longer exist.
// That prolongs one critical section by a system call each time a sleeper is woken. Where somebody
// goes to sleep between the look and the release, it wakes one more after the release, by address.
//
// Sources: U. Drepper, "Futexes are tricky" (2011), for sleeping on a word with a flag. nsync's
// mu.c has one designated waker, parking_lot the short spinning and the eventual fairness, Go's
// sync.Mutex the starving waiter; all three keep a queue of their own, this one the kernel's.
#pragma once

#include "fencepost/language.hpp"

#include <atomic>
#include <cstdint>

#include "fencepost/detail/kernel.hpp"
#include "fencepost/detail/misuse.hpp"
#include "fencepost/detail/pause.hpp"
#include "fencepost/futex.hpp"
#include "fencepost/mutex/one_word_mutex.hpp"
#include "fencepost/observer.hpp"

namespace fencepost {

/// What basic_mutex and basic_futex_mutex do before they sleep, and when they give way. The numbers
/// are those that did best on two processors with 2, 8 and 32 threads in a section of a few
/// nanoseconds: a thread that finds the mutex locked again and again had better wait for half a
/// microsecond than look often, for each look takes the word away from the holder.
struct mutex_tuning {
  /// Looks at a locked mutex before the thread sleeps. Between the first ones processor pauses,
  /// `first_pauses` and twice as many each time; before the others the processor is offered to
  /// whoever else can run, on a crowded machine the holder. All of it takes a few microseconds,
  /// about what it costs to go to sleep and be woken.
  unsigned pausing_rounds = 3;
  unsigned first_pauses = 32;
  unsigned yielding_rounds = 10;
  /// How often a thread overtakes those that were woken and have not got a processor yet, before it
  /// offers its own. Zero: it never does.
  unsigned overtakes = 1000;
  /// Wake-ups in vain after which a thread reserves the mutex; at least one.
  unsigned patience = 3;
  /// How often a thread offers its processor to one that has reserved the mutex and is awake,
  /// before it takes that one for gone: killed, or left behind by fork(). Where processors are
  /// crowded it does so no longer than some 50 ms. Zero: for ever.
  unsigned deference = 10'000;
  /// Abort with a message when a mutex that is not locked is unlocked, or one in use destroyed.
  bool catch_misuse = catch_misuse_by_default;
};

namespace detail {

/// How often the thread has overtaken others, in all mutexes, since it last gave way.
inline constinit thread_local unsigned overtakes = 0;

template <mutex_tuning Tuning>
bool gives_way() noexcept {
  if constexpr (Tuning.overtakes != 0) {
    if (++overtakes > Tuning.overtakes) {
      overtakes = 0;
      kernel::yield();
      return true;
    }
  }
  return false;
}

template <mutex_tuning Tuning>
void spin_once(unsigned round) noexcept {
  static_assert(Tuning.pausing_rounds < 32, "the pauses double in each round");
  if (round < Tuning.pausing_rounds) {
    for (unsigned n = Tuning.first_pauses << round; n != 0; --n) pause();
  } else {
    kernel::yield();
  }
}

/// The word of a mutex, and how a thread that does not get it at once waits for it.
template <class Observer, futex::scope Scope, mutex_tuning Tuning>
class mutex_state {
 protected:
  using observer = Observer;
  static constexpr bool catch_misuse = Tuning.catch_misuse;
  static constexpr std::uint32_t locked = 1;
  static constexpr std::uint32_t held = locked;
  static constexpr std::uint32_t sleepers = 2;
  static constexpr std::uint32_t summoned = 4;
  static constexpr std::uint32_t reservation = 8;
  static constexpr std::uint32_t reserve = ~(locked | sleepers | summoned);

  static constexpr bool may_take(std::uint32_t seen, bool favoured = false) noexcept {
    return (seen & locked) == 0 && (favoured || (seen & reserve) == 0);
  }

  static constexpr std::uint32_t left(std::uint32_t seen) noexcept { return seen & ~locked; }

  static constexpr bool owes_wake(std::uint32_t seen) noexcept {
    return (seen & (sleepers | summoned)) == sleepers;
  }

  template <class Sleep>
  bool lock_or_give_up(std::uint32_t seen, Sleep sleep) {
    if constexpr (Observer::enabled) Observer::contending(this);
    bool is_summoned = false;
    bool has_reserved = false;
    bool was_hurried = false;
    unsigned in_vain = 0;
    unsigned deferred = 0;
    std::int64_t since = 0;
    unsigned spins = 0;
    unsigned sleeps = 0;
    unsigned round = 0;
    for (;;) {
      if (may_take(seen, is_summoned || has_reserved)) {
        if (!is_summoned && (seen & summoned) != 0 && gives_way<Tuning>()) {
          seen = word_.bits.load(std::memory_order_relaxed);
          continue;
        }
        std::uint32_t taken = seen | locked;
        // Behind the one who was woken there may be more.
        if (is_summoned) taken = (taken & ~summoned) | sleepers;
        if (has_reserved && (seen & reserve) != 0) taken -= reservation;
        // acquire: as in lock(). Proof: mutual_exclusion
        if (word_.bits.compare_exchange_weak(seen, taken, std::memory_order_acquire,
                                             std::memory_order_relaxed)) {
          if constexpr (Observer::enabled) Observer::acquired(this, spins, sleeps);
          return true;
        }
        continue;
      }
      // Whoever finds others asleep does not spin, or they would never get their turn; unless it
      // was about to sleep and the word changed, which says that things go quickly here.
      if (round != Tuning.pausing_rounds + Tuning.yielding_rounds &&
          (is_summoned || was_hurried || (seen & (sleepers | summoned)) == 0)) {
        ++spins;
        spin_once<Tuning>(round++);
        seen = word_.bits.load(std::memory_order_relaxed);
        continue;
      }
      if ((seen & (locked | summoned)) == 0) {
        // Reserved by a thread that is awake, for the others stand in no order with it; or by one
        // that is not there any more, whose reservation somebody has to use up.
        if (Tuning.deference != 0 && (++deferred > Tuning.deference || is_late(deferred, since))) {
          has_reserved = true;
        }
        kernel::yield();
        seen = word_.bits.load(std::memory_order_relaxed);
        continue;
      }
      // To sleep. The word is locked: a summoned thread takes it otherwise.
      std::uint32_t asleep = seen | sleepers;
      bool reserves = false;
      if (is_summoned) {
        asleep &= ~summoned;
        reserves = !has_reserved && in_vain + 1 >= Tuning.patience;
        if (reserves) asleep += reservation;
      }
      if (asleep != seen &&
          !word_.bits.compare_exchange_weak(seen, asleep, std::memory_order_relaxed)) {
        continue;
      }
      if (is_summoned) ++in_vain;
      has_reserved |= reserves;
      since = 0;
      ++sleeps;
      if constexpr (Observer::enabled) Observer::sleeping(this, word_.bits, asleep);
      const futex::outcome came = sleep(asleep);
      if constexpr (Observer::enabled) {
        if (came == futex::outcome::changed) Observer::stayed_awake(this);
        Observer::awake(this);
      }
      seen = word_.bits.load(std::memory_order_relaxed);
      if (came == futex::outcome::timed_out && give_up(seen, has_reserved)) {
        if constexpr (Observer::enabled) Observer::gave_up(this, spins, sleeps);
        return false;
      }
      is_summoned = came == futex::outcome::woken;
      was_hurried = !is_summoned && (seen & summoned) == 0;
      if (is_summoned || was_hurried) round = 0;
    }
  }

  /// Whether who has deferred so often, without a sleep, has done so for 50 ms. It looks at the
  /// clock every eighth time, and `since`, zero at first, is its first look.
  static bool is_late(unsigned deferred, std::int64_t& since) noexcept {
    if (deferred % 8 != 0) return false;
    const timespec now = kernel::now(CLOCK_MONOTONIC);
    const std::int64_t milliseconds = std::int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
    if (since == 0) since = milliseconds;
    return milliseconds - since >= 50;
  }

  /// Takes back a reservation; false if the mutex is there to be taken. Whoever sleeps next to a
  /// reservation relies on its owner, who must not leave a free mutex behind.
  bool give_up(std::uint32_t& seen, bool has_reserved) noexcept {
    while (has_reserved && (seen & reserve) != 0) {
      if ((seen & locked) == 0) return false;
      if (word_.bits.compare_exchange_weak(seen, seen - reservation, std::memory_order_relaxed)) {
        break;
      }
    }
    return true;
  }

  /// Finds a thread to summon, if there is one, and then releases.
  [[gnu::noinline]] void wake_and_unlock() noexcept {
    std::uint32_t seen = locked | sleepers;
    // Whoever goes to sleep from here on sets the flag again, and is seen below; whoever did so
    // before is found by the kernel.
    while (!word_.bits.compare_exchange_weak(seen, (seen & ~sleepers) | summoned,
                                             std::memory_order_relaxed)) {
    }
    const int woken = futex::wake_one(word_.bits, Scope);
    if constexpr (Observer::enabled) {
      if (woken != 0 && (seen & reserve) != 0) Observer::handed_over(this);
    }
    const std::uint32_t cleared = woken != 0 ? locked : locked | summoned;
    // release: as in unlock(). Proof: mutual_exclusion
    wake_late(word_.bits.fetch_and(~cleared, std::memory_order_release) & ~cleared, woken);
  }

  /// After a release that left `after` behind: somebody may have gone to sleep in the last moment,
  /// or who was woken may be asleep again. All of those are asleep by now, or about to see that the
  /// word has changed.
  [[gnu::noinline]] void wake_late(std::uint32_t after, int woken) noexcept {
    if (owes_wake(after)) woken += futex::wake_one(word_.bits, Scope);
    if constexpr (Observer::enabled) Observer::woke(this, woken);
  }

  struct type {
    static constexpr const char* name = "mutex";
    static constexpr std::uint32_t locked = mutex_state::locked;
    static constexpr futex::scope scope = Scope;
  };
  mutex_word<type, Tuning.catch_misuse> word_;
};

}  // namespace detail

/// The mutex, of an observer, a scope and a tuning. Its functions are in mutex/one_word_mutex.hpp.
template <class Observer = unobserved, futex::scope Scope = futex::scope::process,
          mutex_tuning Tuning = mutex_tuning{}>
using basic_mutex = detail::one_word_mutex<detail::mutex_state<Observer, Scope, Tuning>>;

using mutex = basic_mutex<>;
using interprocess_mutex = basic_mutex<unobserved, futex::scope::shared>;

static_assert(sizeof(mutex) == 4);

}  // namespace fencepost
