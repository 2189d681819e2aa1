// SPDX-License-Identifier: MIT
// oneTBB's tbb::mutex: an unlock that saw no waiter, and a waiter that saw no unlock.
// https://github.com/uxlfoundation/oneTBB/pull/2136
//
// A waiter enters the monitor's wait set, fences, and looks at the lock once more. The unlock is an
// exchange, then a relaxed look whether the wait set is empty. The exchange orders nothing that
// comes after it in program order: on AArch64 the look slips between its exclusive load and store.
// On x86 the locked instruction is the fence that the source does not have.
//
// case: broken
// expect: c++20=violated:lost-wakeup x86=holds sc=holds at=sleep says="T1 sleeps"
//
// case: the_look_acquires
// flags: -DLOOK=acquire
// expect: c++20=violated:lost-wakeup x86=holds sc=holds at=sleep says="T1 sleeps"
//
// case: repaired
// flags: -DREPAIRED
// expect: all=holds
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <mutex>
#include <thread>

#ifndef LOOK
#define LOOK relaxed
#endif
#define ORDER_(name) std::memory_order_##name
#define ORDER(name) ORDER_(name)

class monitor {
 public:
  void prepare_wait() {
    {
      const std::lock_guard lock(list_);
      waiters_.store(waiters_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    }
    std::atomic_thread_fence(std::memory_order_seq_cst);
  }

  void cancel_wait() {
    const std::lock_guard lock(list_);
    waiters_.store(0, std::memory_order_relaxed);
  }

  void commit_wait() {
    while (woken_.load(std::memory_order_acquire) == 0) {
      syscall(SYS_futex, &woken_, FUTEX_WAIT_PRIVATE, 0, nullptr, nullptr, 0);  // @sleep
    }
  }

  void notify_one() {
#ifdef REPAIRED
    std::atomic_thread_fence(std::memory_order_seq_cst);
#endif
    if (waiters_.load(ORDER(LOOK)) == 0) return;
    {
      const std::lock_guard lock(list_);
      if (waiters_.load(std::memory_order_relaxed) == 0) return;
      waiters_.store(0, std::memory_order_relaxed);
    }
    woken_.store(1, std::memory_order_release);
    syscall(SYS_futex, &woken_, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
  }

 private:
  std::mutex list_;
  std::atomic<int> waiters_{0};  // the length of the list
  std::atomic<int> woken_{0};    // the semaphore of the one waiter that this program has
};

monitor sleepers;
std::atomic<bool> locked{true};  // by main

void wait_for_the_lock() {
  sleepers.prepare_wait();
  if (locked.load(std::memory_order_acquire)) {
    sleepers.commit_wait();
  } else {
    sleepers.cancel_wait();
  }
}

int main() {
  std::thread waiter([] {
    while (locked.exchange(true)) wait_for_the_lock();
  });
  locked.exchange(false);
  sleepers.notify_one();
  waiter.join();
}
