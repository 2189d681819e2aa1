// SPDX-License-Identifier: MIT
// libc++'s std::counting_semaphore: two releases, two sleepers, one wake-up.
// https://github.com/llvm/llvm-project/issues/46357
// https://github.com/llvm/llvm-project/pull/79265
//
// release() wakes one thread, and only if the count was 0. The second release finds 1, since the
// thread that the first one woke has not come to take it yet, and wakes nobody: one thread goes on
// sleeping beside a count of 1. No ordering mends it; it is wrong under sequential consistency.
//
// case: broken
// expect: all=violated:lost-wakeup at=sleep says="T[12] sleeps"
//
// case: repaired
// flags: -DREPAIRED
// expect: all=holds
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <climits>
#include <thread>

std::atomic<int> count{0};

void release() {
  if (count.fetch_add(1, std::memory_order_release) > 0) return;
#ifdef REPAIRED
  constexpr int threads = INT_MAX;
#else
  constexpr int threads = 1;
#endif
  syscall(SYS_futex, &count, FUTEX_WAKE_PRIVATE, threads, nullptr, nullptr, 0);
}

void acquire() {
  for (;;) {
    int seen = count.load(std::memory_order_relaxed);
    if (seen == 0) {
      syscall(SYS_futex, &count, FUTEX_WAIT_PRIVATE, 0, nullptr, nullptr, 0);  // @sleep
    } else if (count.compare_exchange_strong(seen, seen - 1, std::memory_order_acquire,
                                             std::memory_order_relaxed)) {
      return;
    }
  }
}

int main() {
  std::thread first(acquire);
  std::thread second(acquire);
  release();
  release();
  first.join();
  second.join();
}
