// SPDX-License-Identifier: MIT
// Test, then test-and-set, with the processor's pause instruction between looks.
//
// case: two_threads
// expect: all=holds
//
// case: three_threads
// flags: -DTHREADS=3
// expect: all=holds
//
// case: relaxed_exchange
// flags: -DACQUIRE=relaxed
// expect: all=violated:data-race at=race
#include <array>
#include <atomic>
#include <cassert>
#include <thread>

#ifndef THREADS
#define THREADS 2
#endif
#ifndef ACQUIRE
#define ACQUIRE acquire
#endif
#define ORDER_(name) std::memory_order_##name
#define ORDER(name) ORDER_(name)

class spin_lock {
 public:
  void lock() {
    for (;;) {
      if (!locked_.exchange(true, ORDER(ACQUIRE))) return;
      while (locked_.load(std::memory_order_relaxed)) {
#if defined(__x86_64__)
        __builtin_ia32_pause();
#elif defined(__aarch64__)
        __asm__ __volatile__("yield");
#endif
      }
    }
  }

  void unlock() { locked_.store(false, std::memory_order_release); }

 private:
  std::atomic<bool> locked_{false};
};

int main() {
  spin_lock lock;
  int counter = 0;
  std::array<std::thread, THREADS> threads;
  for (auto& thread : threads) {
    thread = std::thread([&] {
      lock.lock();
      counter++;  // @race
      lock.unlock();
    });
  }
  for (auto& thread : threads) thread.join();
  assert(counter == THREADS);
}
