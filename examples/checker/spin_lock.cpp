// SPDX-License-Identifier: MIT
// A spin lock that protects a counter, with three threads. Loops that wait need no annotation and
// no bound: rounds in which nothing changes are not explored twice.
//
//   $ ./fencepost check --model sc,c++20,x86 examples/checker/spin_lock.cpp
//   holds under sc
//   holds under c++20
//   holds under x86
//
// Forget to unlock and somebody spins for ever:
//
//   $ ./fencepost check examples/checker/spin_lock.cpp -- -DFORGET
//   violated under c++20
//   non-termination at examples/checker/spin_lock.cpp
#include <array>
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

class spin_lock {
 public:
  void lock() {
    while (locked_.exchange(true, std::memory_order_acquire)) {
      while (locked_.load(std::memory_order_relaxed)) std::this_thread::yield();
    }
  }

  void unlock() {
#ifndef FORGET
    locked_.store(false, std::memory_order_release);
#endif
  }

 private:
  std::atomic<bool> locked_{false};
};

int main() {
  spin_lock lock;
  int counter = 0;
  std::array<std::thread, 3> threads;
  for (auto& thread : threads) {
    thread = std::thread([&] {
      const std::lock_guard guard(lock);
      counter++;
    });
  }
  for (auto& thread : threads) thread.join();
  assert(counter == 3);
}
