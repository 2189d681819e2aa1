// SPDX-License-Identifier: MIT
// A worker finds the queue empty, takes the mutex and waits; the producer that pushes in between
// notifies nobody.
//
// case: looks_again_under_the_lock
// expect: all=holds
//
// case: waits_at_once
// flags: -DAT_ONCE
// expect: all=violated:lost-wakeup
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

std::atomic<int> pending{0};
std::mutex mutex;
std::condition_variable pushed;

bool pop() {
  int seen = pending.load(std::memory_order_acquire);
  return seen > 0 && pending.compare_exchange_strong(seen, seen - 1);
}

int main() {
  std::thread worker([] {
    while (!pop()) {
      std::unique_lock lock(mutex);
#ifdef AT_ONCE
      pushed.wait(lock);
#else
      pushed.wait(lock, [] { return pending.load(std::memory_order_acquire) > 0; });
#endif
    }
  });
  pending.fetch_add(1, std::memory_order_release);
  { const std::lock_guard lock(mutex); }
  pushed.notify_one();
  worker.join();
}
