// SPDX-License-Identifier: MIT
//
// How an event count waits, and how sure its waiters are to be woken.
#pragma once

#include "fencepost/detail/misuse.hpp"

namespace fencepost {

/// How a thread waits for the next version.
struct event_count_tuning {
  /// Looks at the version before the thread announces that it goes to sleep, one processor pause
  /// between two of them; 0: none. A pause takes 10 to 45 ns on x86-64 processors since 2017, so
  /// 50 of them take 0.5 to 2.5 microseconds: about what the two system calls of a sleep and its
  /// wake-up take of the processors (2 to 4), so that a thread that spins in vain spends at most
  /// twice what it had to, and one that does not saves the 5 to 20 that a sleeper needs to run
  /// again. On the processor of the producer that last woke somebody nobody spins; see
  /// last_waker.hpp.
  unsigned spin_rounds = 50;

  /// Where the flag is only certain after a barrier in every thread of the process (see certainty):
  /// issue it. False: do as where there is none, which disturbs no other processor and is for those
  /// that must not be disturbed.
  bool heavy_barrier = true;

  /// Without the barrier: how long the first sleep is, and the longest, in microseconds. Each is
  /// eight times the one before, as in Concurrency Kit. The longest is what an increment that
  /// overlooks a waiter costs it, in the worst case.
  unsigned first_nap = 2'000;
  unsigned longest_nap = 1'000'000;

  /// Abort when an event count is destroyed while threads sleep on it.
  bool catch_misuse = catch_misuse_by_default;
};

/// Why a thread that goes to sleep on an event count may trust that the next increment wakes it.
enum class certainty : unsigned char {
  by_order,    ///< the memory orders of both sides see to it
  by_barrier,  ///< the sleeper has every producer interrupted between two instructions first
  by_time      ///< it may not: it sleeps for bounded times, growing, and looks again
};

}  // namespace fencepost
