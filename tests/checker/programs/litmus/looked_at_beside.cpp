// SPDX-License-Identifier: MIT
// A plain read beside a read-modify-write: that races if it writes, also where the write is made
// anew behind another thread's, and not if it is a compare-exchange that fails.
//
// case: behind_another_addition
// flags: -DADDS
// expect: all=violated:data-race
//
// case: behind_another_addition_at_times
// flags: -DADDS -DAT_TIMES
// expect: all=violated:data-race
//
// case: behind_another_addition_made_last
// flags: -DADDS -DAT_TIMES -DLAST
// expect: all=violated:data-race
//
// case: behind_another_exchange
// flags: -DEXCHANGES -DAT_TIMES
// expect: all=violated:data-race
//
// case: behind_another_compare_exchange
// flags: -DCOMPARES -DAT_TIMES
// expect: all=violated:data-race
//
// case: an_exchange_that_fails
// flags: -DFAILS
// expect: all=holds
//
// case: an_exchange_that_fails_first
// flags: -DFAILS -DLAST
// expect: all=holds
#include <atomic>
#include <thread>

int shared = 0;
std::atomic<int> x{0};

int change() {
  std::atomic_ref<int> one(shared);
#if defined(ADDS)
  return one.fetch_add(1);
#elif defined(EXCHANGES)
  return one.exchange(1);
#elif defined(COMPARES)
  int old = 0;
  while (!one.compare_exchange_strong(old, old + 1)) {
  }
  return old;
#else
  int other = 5;
  one.compare_exchange_strong(other, 6);
  return other;
#endif
}

void look() {
#ifndef FAILS
  if (change() != 0) {
    for (int i = 0; i < 4; ++i) x.load();
    return;
  }
#endif
  const volatile int found = shared;
  (void)found;
}

int main() {
#ifdef LAST
  std::thread two(look), one(change);
#else
  std::thread one(change), two(look);
#endif
#ifdef AT_TIMES
  std::thread three([] {
    for (int i = 1; i < 4; ++i) x.store(i);
  });
  three.join();
#endif
  one.join();
  two.join();
}
