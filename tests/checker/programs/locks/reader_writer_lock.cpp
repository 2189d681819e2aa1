// SPDX-License-Identifier: MIT
// One word: readers count up, a writer takes the whole word.
//
// case: sound
// expect: all=holds
//
// case: readers_leave_relaxed
// flags: -DLEAVE=relaxed
// expect: all=violated:data-race at=race
#include <atomic>
#include <cassert>
#include <thread>

#ifndef LEAVE
#define LEAVE release
#endif
#define ORDER_(name) std::memory_order_##name
#define ORDER(name) ORDER_(name)

constexpr int writing = -1;
std::atomic<int> state{0};
int left = 0;
int right = 0;

void lock_shared() {
  int readers = state.load(std::memory_order_relaxed);
  for (;;) {
    if (readers == writing) {
      readers = state.load(std::memory_order_relaxed);
    } else if (state.compare_exchange_weak(readers, readers + 1, std::memory_order_acquire,
                                           std::memory_order_relaxed)) {
      return;
    }
  }
}

void lock() {
  int free = 0;
  while (!state.compare_exchange_weak(free, writing, std::memory_order_acquire,
                                      std::memory_order_relaxed)) {
    free = 0;
  }
}

int main() {
  std::thread writer([] {
    lock();
    left++;   // @race
    right++;  // @race
    state.store(0, std::memory_order_release);
  });
  auto read = [] {
    lock_shared();
    assert(left == right);  // @race
    state.fetch_sub(1, ORDER(LEAVE));
  };
  std::thread reader(read);
  std::thread other_reader(read);
  writer.join();
  reader.join();
  other_reader.join();
}
