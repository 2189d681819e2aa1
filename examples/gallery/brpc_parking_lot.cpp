// SPDX-License-Identifier: MIT
// brpc's ParkingLot with --parking_lot_no_signal_when_no_waiter: saving a system call too many.
// https://github.com/apache/brpc/pull/3539
//
// signal() counts a signal, then skips the futex if no worker waits. wait() counts itself, then
// lets the futex compare the count of signals with what the worker saw before it looked for tasks.
// Both counts are read-modify-writes; neither keeps the look that follows from coming first. The
// repair fences both sides and looks once more before the system call, which promises no ordering.
//
// case: broken
// expect: c++20=violated:lost-wakeup x86=holds sc=holds at=sleep says="T1 sleeps"
//
// case: repaired
// flags: -DREPAIRED
// expect: all=holds
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cassert>
#include <thread>

std::atomic<int> pending_signal{0};
std::atomic<int> waiters{0};
std::atomic<int> tasks{0};

void signal_one() {
  pending_signal.fetch_add(2, std::memory_order_release);
#ifdef REPAIRED
  std::atomic_thread_fence(std::memory_order_seq_cst);
#endif
  if (waiters.load(std::memory_order_relaxed) == 0) return;
  syscall(SYS_futex, &pending_signal, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
}

void wait(int expected) {
  waiters.fetch_add(1, std::memory_order_relaxed);
#ifdef REPAIRED
  std::atomic_thread_fence(std::memory_order_seq_cst);
#endif
  if (pending_signal.load(std::memory_order_relaxed) == expected) {
    constexpr int sleep = FUTEX_WAIT_PRIVATE;
    syscall(SYS_futex, &pending_signal, sleep, expected, nullptr, nullptr, 0);  // @sleep
  }
  waiters.fetch_sub(1, std::memory_order_relaxed);
}

int main() {
  std::thread worker([] {
    for (;;) {
      const int seen = pending_signal.load(std::memory_order_acquire);
      if (tasks.exchange(0, std::memory_order_acquire) != 0) return;
      wait(seen);
    }
  });
  tasks.store(1, std::memory_order_release);
  signal_one();
  worker.join();
}
