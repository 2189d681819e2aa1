// SPDX-License-Identifier: MIT
// Read-modify-writes never act on the same value twice.
//
// case: three_increments
// flags: -DTHREADS=3
// expect: all=holds executions=6
//
// case: four_increments
// flags: -DTHREADS=4
// expect: all=holds executions=24
//
// case: one_of_three_wins
// flags: -DTHREADS=3 -DELECT
// expect: all=holds executions=3
//
// case: load_then_store_loses_an_increment
// flags: -DTHREADS=2 -DTORN
// expect: all=violated:assertion at=total
#include <array>
#include <atomic>
#include <cassert>
#include <thread>

std::atomic<int> value{0};
std::atomic<int> winners{0};

void act() {
#if defined(ELECT)
  int expected = 0;
  if (value.compare_exchange_strong(expected, 1, std::memory_order_relaxed)) {
    winners.store(1, std::memory_order_relaxed);
  } else {
    assert(expected == 1);
  }
#elif defined(TORN)
  value.store(value.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
#else
  value.fetch_add(1, std::memory_order_relaxed);
#endif
}

int main() {
  std::array<std::thread, THREADS> threads;
  for (auto& thread : threads) thread = std::thread(act);
  for (auto& thread : threads) thread.join();
#ifdef ELECT
  assert(winners.load() == 1);
#else
  assert(value.load() == THREADS);  // @total
#endif
}
