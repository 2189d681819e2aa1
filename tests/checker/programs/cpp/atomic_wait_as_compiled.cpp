// SPDX-License-Identifier: MIT
// Under x86 libstdc++ 12's notify is judged as it is compiled. Where an object is a futex word of
// its own (32 bits) the look at the count of waiters is the first thing that follows the program's
// store, which may still be in the store buffer. For other sizes a word in the library is moved
// first, by a locked instruction.
//
// case: word_stored
// flags: -DTYPE=unsigned -DNOTIFY=notify_all
// expect: c++20=holds x86=violated:lost-wakeup sc=holds
//
// case: enumeration_stored
// flags: -DTYPE=Phase
// expect: c++20=holds x86=violated:lost-wakeup sc=holds
//
// case: word_stored_and_fenced
// flags: -DTYPE=unsigned -DFENCE
// expect: all=holds
//
// case: word_exchanged
// flags: -DTYPE=unsigned -DEXCHANGE
// expect: all=holds
//
// case: byte_stored
// flags: -DTYPE=bool
// expect: all=holds
//
// case: long_stored
// flags: -DTYPE=long
// expect: all=holds
#include <atomic>
#include <thread>

enum Phase : int { kBefore, kAfter };

#ifndef NOTIFY
#define NOTIFY notify_one
#endif

static std::atomic<TYPE> phase;

int main() {
  std::thread waiter([] { phase.wait(TYPE(0), std::memory_order_relaxed); });
#ifdef EXCHANGE
  if (phase.exchange(TYPE(1), std::memory_order_relaxed) != TYPE(0)) return 1;
#else
  phase.store(TYPE(1), std::memory_order_relaxed);
#endif
#ifdef FENCE
  std::atomic_thread_fence(std::memory_order_seq_cst);
#endif
  phase.NOTIFY();
  waiter.join();
}
