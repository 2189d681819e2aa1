// SPDX-License-Identifier: MIT
// An atomic wait that keeps an epoch and a count of contenders: the notifier moves the epoch and
// looks at the count, the waiter counts itself and lets the system call compare the epoch.
//
// case: relaxed_count
// expect: c++20=violated:lost-wakeup x86=holds sc=holds at=sleep
//
// case: fenced
// flags: -DFENCES
// expect: all=holds
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <climits>
#include <thread>

std::atomic<int> value{0};
std::atomic<int> epoch{0};
std::atomic<int> contenders{0};

void fence() {
#ifdef FENCES
  std::atomic_thread_fence(std::memory_order_seq_cst);
#endif
}

void notify() {
  epoch.fetch_add(1, std::memory_order_release);
  fence();
  if (contenders.load(std::memory_order_seq_cst) != 0) {
    syscall(SYS_futex, &epoch, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
  }
}

void wait() {
  for (;;) {
    const int monitored = epoch.load(std::memory_order_acquire);
    if (value.load(std::memory_order_acquire) != 0) return;
    contenders.fetch_add(1, std::memory_order_relaxed);
    fence();
    syscall(SYS_futex, &epoch, FUTEX_WAIT_PRIVATE, monitored, nullptr, nullptr, 0);  // @sleep
    contenders.fetch_sub(1, std::memory_order_release);
  }
}

int main() {
  std::thread waiter(wait);
  value.store(1, std::memory_order_release);
  notify();
  waiter.join();
}
