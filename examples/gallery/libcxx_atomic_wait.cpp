// SPDX-License-Identifier: MIT
// libc++'s std::atomic<T>::wait for a T that is no futex word.
// https://github.com/llvm/llvm-project/issues/109290
// https://github.com/llvm/llvm-project/pull/146267
//
// Waiting goes by way of two words of a table: an epoch, on which the futex sleeps, and a count of
// contenders, which saves the system call. notify moves the epoch and looks at the count; wait
// counts itself and leaves it to the kernel to compare the epoch. That is store buffering, with one
// of its four accesses hidden in a system call that promises no barrier.
//
// case: broken
// expect: c++20=violated:lost-wakeup x86=holds sc=holds at=sleep says="T1 sleeps"
//
// case: notify_alone_repaired
// flags: -DNOTIFY=seq_cst
// expect: c++20=violated:lost-wakeup x86=holds sc=holds at=sleep says="T1 sleeps"
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

#ifdef REPAIRED
#define NOTIFY seq_cst
#elif !defined(NOTIFY)
#define NOTIFY release
#endif
#define ORDER_(name) std::memory_order_##name
#define ORDER(name) ORDER_(name)

std::atomic<bool> value{false};  // the user's
std::atomic<int> epoch{0};
std::atomic<int> contenders{0};

void notify_all() {
  epoch.fetch_add(1, ORDER(NOTIFY));
  if (contenders.load(std::memory_order_seq_cst) == 0) return;
  syscall(SYS_futex, &epoch, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
}

void wait() {
  for (;;) {
    const int monitored = epoch.load(std::memory_order_acquire);
    if (value.load(std::memory_order_acquire)) return;
#ifdef REPAIRED
    contenders.fetch_add(1, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_seq_cst);
#else
    contenders.fetch_add(1, std::memory_order_seq_cst);
#endif
    syscall(SYS_futex, &epoch, FUTEX_WAIT_PRIVATE, monitored, nullptr, nullptr, 0);  // @sleep
    contenders.fetch_sub(1, std::memory_order_release);
  }
}

int main() {
  std::thread waiter(wait);
  value.store(true, std::memory_order_release);
  notify_all();
  waiter.join();
}
