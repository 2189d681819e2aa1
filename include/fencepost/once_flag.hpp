// SPDX-License-Identifier: MIT
//
// What is to be done once, by whichever thread comes first: std::once_flag and std::call_once() in
// four bytes.
//
//     fencepost::once_flag opened;                             // constinit
//     fencepost::call_once(opened, [] { log = open_log(); });  // by each thread that needs it
//
// `interprocess_once_flag` is for memory that several processes map. No allocation, no destruction.
// Where the object itself can be made once, a function-local static does the same.
//
// Guaranteed:
// * The function is called again only if the calls before it threw, and never by two threads at the
//   same time. Whatever it did happens before every return of call_once(). Proof: runs_once.
// * A call that throws leaves the flag as it was: another thread that waits, or comes, makes the
//   next one, which sees what this one did. Proof: thrown.
// * No wake-up is lost: nobody sleeps on when the call is over, however it ended. Proofs:
//   runs_once, thrown.
// * Once it is done and all calls but that of the thread that did it have returned, the flag may be
//   destroyed, though that one has not returned. Proof: destruction.
// * Once it is done, a call is a load and a comparison.
// Not guaranteed: anything, where the function calls call_once() for the same flag. A process that
// dies, or a thread that is killed, in the middle of it leaves an interprocess_once_flag so that
// all others wait.
//
// fork() in the middle of a call that another thread makes leaves nobody in the child to finish it.
// begin() takes an era for that, by which the threads of the child tell such a call from one of
// their own: src/preload/once.cpp does it.
//
// How it works. One word:
//
//     0         nobody has begun, or whoever did has thrown.
//     running   somebody makes the call; with it, shifted, the era in which it was begun.
//     asleep    with `running`. Illegal to be clear while a thread sleeps.
//     done      alone: nothing changes any more.
//
// Source: POSIX.1-2017, pthread_once(); [thread.once.callonce].
#pragma once

#include "fencepost/language.hpp"

#include <atomic>
#include <cstdint>
#include <functional>
#include <utility>

#include "fencepost/detail/ordered_atomic.hpp"
#include "fencepost/futex.hpp"

namespace fencepost {

template <futex::scope Scope = futex::scope::process>
class basic_once_flag {
 public:
  constexpr basic_once_flag() noexcept = default;
  basic_once_flag(const basic_once_flag&) = delete;
  basic_once_flag& operator=(const basic_once_flag&) = delete;

  /// Whether it was done; what was done then happens before.
  [[nodiscard]] bool is_done() const noexcept {
    // acquire: pairs with finish(). Proof: runs_once
    return word_.load(std::memory_order_acquire) == done;
  }

  /// True: the calling thread has to do it, and then calls finish(), or abandon() if it failed.
  /// False: it is done; waits for whoever is at it. A call that was begun in another `era`, of
  /// which the lowest 29 bits count, is as if it had not been: nobody is left to finish it.
  [[nodiscard]] bool begin(std::uint32_t era = 0) noexcept {
    return !is_done() && begin_slowly(era);
  }

  /// It is done.
  void finish() noexcept { end(done); }

  /// It was not done: whoever comes next, or waits, begins it anew.
  void abandon() noexcept { end(0); }

 private:
  static constexpr std::uint32_t running = 1;
  static constexpr std::uint32_t asleep = 2;
  static constexpr std::uint32_t done = 4;

  [[gnu::noinline]] bool begin_slowly(std::uint32_t era) noexcept {
    const std::uint32_t current = running | era << 3;
    while (!is_done()) {
      std::uint32_t seen = word_.load(std::memory_order_relaxed);
      if (seen == done) continue;
      if ((seen & ~asleep) != current) {
        // acquire: pairs with abandon(). Proof: thrown
        if (word_.compare_exchange_weak(seen, current, std::memory_order_acquire,
                                        std::memory_order_relaxed)) {
          return true;
        }
      } else if (seen == (current | asleep) ||
                 word_.compare_exchange_weak(seen, current | asleep, std::memory_order_relaxed)) {
        futex::wait(word_, current | asleep, Scope);
      }
    }
    return false;
  }

  void end(std::uint32_t how) noexcept {
    // release: pairs with is_done(), and after a failure with begin_slowly(). Proofs: runs_once,
    // thrown
    const std::uint32_t before = word_.exchange(how, std::memory_order_release);
    if ((before & asleep) != 0) futex::wake_all(word_, Scope);
  }

  detail::ordered_atomic<std::uint32_t> word_{0};
};

using once_flag = basic_once_flag<>;
using interprocess_once_flag = basic_once_flag<futex::scope::shared>;

static_assert(sizeof(once_flag) == 4);

/// Calls function(arguments…) unless that was done for this flag, and waits for who is at it.
/// Throws what the function throws; then it was not done.
template <futex::scope Scope, class Function, class... Arguments>
void call_once(basic_once_flag<Scope>& flag, Function&& function, Arguments&&... arguments) {
  if (!flag.begin()) return;
  struct call {
    basic_once_flag<Scope>& flag;
    bool returned = false;
    ~call() { returned ? flag.finish() : flag.abandon(); }
  } its{flag};
  static_cast<void>(
      std::invoke(std::forward<Function>(function), std::forward<Arguments>(arguments)...));
  its.returned = true;
}

}  // namespace fencepost
