// SPDX-License-Identifier: MIT
// A concurrent monitor: a waiter puts itself into the wait set, fences and looks at the predicate
// again; the notifier changes the predicate and skips an empty wait set. Without a full fence
// before that look the wait set may still seem empty.
//
// case: notifier_fences
// expect: all=holds
//
// case: notifier_does_not
// flags: -DNO_FENCE
// expect: c++20=violated:lost-wakeup x86=violated:lost-wakeup sc=holds at=sleep
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

struct monitor {
  std::mutex mutex;
  std::atomic<int> in_wait_set{0};
  std::atomic<int> wake_ups{0};

  void prepare_wait() {
    const std::lock_guard lock(mutex);
    in_wait_set.store(in_wait_set.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }

  void commit_wait() {
    while (wake_ups.load(std::memory_order_acquire) == 0) {
      syscall(SYS_futex, &wake_ups, FUTEX_WAIT_PRIVATE, 0, nullptr, nullptr, 0);  // @sleep
    }
  }

  void cancel_wait() {
    const std::lock_guard lock(mutex);
    in_wait_set.store(0, std::memory_order_relaxed);
  }

  void notify() {
#ifndef NO_FENCE
    std::atomic_thread_fence(std::memory_order_seq_cst);
#endif
    if (in_wait_set.load(std::memory_order_relaxed) == 0) return;
    {
      const std::lock_guard lock(mutex);
      if (in_wait_set.load(std::memory_order_relaxed) == 0) return;
      in_wait_set.store(0, std::memory_order_relaxed);
    }
    wake_ups.store(1, std::memory_order_release);
    syscall(SYS_futex, &wake_ups, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
  }
};

monitor sleepers;
std::atomic<bool> ready{false};

int main() {
  std::thread waiter([] {
    if (ready.load(std::memory_order_acquire)) return;
    sleepers.prepare_wait();
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if (ready.load(std::memory_order_acquire)) {
      sleepers.cancel_wait();
    } else {
      sleepers.commit_wait();
      assert(ready.load(std::memory_order_acquire));
    }
  });
  ready.store(true, std::memory_order_release);
  sleepers.notify();
  waiter.join();
}
