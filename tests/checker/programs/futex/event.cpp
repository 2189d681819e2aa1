// SPDX-License-Identifier: MIT
// A one-shot event in one word: 0 not set, 1 set, 2 not set and slept on. Every hand that touches
// the word does so by read-modify-write, so release and acquire suffice.
//
// case: exchange
// expect: all=holds
//
// case: set_by_load_then_store
// flags: -DLOAD_STORE
// expect: all=violated:lost-wakeup at=sleep
//
// case: payload_unpublished
// flags: -DSET=relaxed
// expect: all=violated:data-race at=race
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cassert>
#include <climits>
#include <thread>

#ifndef SET
#define SET release
#endif
#define ORDER_(name) std::memory_order_##name
#define ORDER(name) ORDER_(name)

std::atomic<int> word{0};
int payload = 0;

void set() {
#ifdef LOAD_STORE
  const int before = word.load(std::memory_order_relaxed);
  word.store(1, ORDER(SET));
#else
  const int before = word.exchange(1, ORDER(SET));
#endif
  if (before == 2) syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
}

void wait() {
  int seen = word.load(std::memory_order_acquire);
  while (seen != 1) {
    if (seen == 2 || word.compare_exchange_strong(seen, 2, std::memory_order_acquire,
                                                  std::memory_order_acquire)) {
      syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 2, nullptr, nullptr, 0);  // @sleep
      seen = word.load(std::memory_order_acquire);
    }
  }
}

int main() {
  auto wait_and_read = [] {
    wait();
    assert(payload == 42);  // @race
  };
  std::thread first(wait_and_read);
  std::thread second(wait_and_read);
  payload = 42;  // @race
  set();
  first.join();
  second.join();
}
