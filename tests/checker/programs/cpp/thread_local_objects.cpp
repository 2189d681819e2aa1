// SPDX-License-Identifier: MIT
// thread_local objects are constructed on first use and destroyed when their thread ends.
//
// case: one_a_thread
// expect: all=holds
#include <atomic>
#include <cassert>
#include <thread>

std::atomic<int> alive{0};
std::atomic<int> ever{0};

struct scratch {
  int uses = 0;
  scratch() {
    alive.fetch_add(1, std::memory_order_relaxed);
    ever.fetch_add(1, std::memory_order_relaxed);
  }
  ~scratch() { alive.fetch_sub(1, std::memory_order_relaxed); }
};

thread_local scratch mine;

int main() {
  auto use = [] {
    mine.uses++;
    mine.uses++;
    assert(mine.uses == 2);
  };
  std::thread first(use);
  std::thread second(use);
  first.join();
  second.join();
  assert(alive.load() == 0);
  assert(ever.load() == 2);
}
