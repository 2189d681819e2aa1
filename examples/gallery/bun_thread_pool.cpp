// SPDX-License-Identifier: MIT
// Bun's ThreadPool: a task that is taken for announced by the notification of the one before.
// https://github.com/oven-sh/bun/pull/28907
//
// schedule() pushes a task; if a notification is pending already, it is left at that, since the
// worker that consumes it will look into the queue. But a relaxed load may see a notification that
// has been consumed, by a worker that has looked and gone to sleep. Reading it by an addition of
// nothing makes schedule() part of the word's chain of read-modify-writes: whoever consumes the
// notification later has seen the task, and whoever consumed it before is seen.
//
// case: broken
// expect: c++20=violated:lost-wakeup x86=holds sc=holds at=sleep says="T1 sleeps"
//
// case: read_in_seq_cst
// flags: -DREAD=state.load(std::memory_order_seq_cst)
// expect: c++20=violated:lost-wakeup x86=holds sc=holds at=sleep says="T1 sleeps"
//
// case: repaired
// flags: -DREPAIRED
// expect: all=holds
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#ifdef REPAIRED
#define READ state.fetch_or(0, std::memory_order_release)
#elif !defined(READ)
#define READ state.load(std::memory_order_relaxed)
#endif

enum : int { notified = 1, asleep = 2 };

std::atomic<int> state{0};
std::atomic<int> tasks{0};

void schedule() {
  tasks.fetch_add(1, std::memory_order_release);
  int seen = READ;
  do {
    if ((seen & notified) != 0) return;
  } while (!state.compare_exchange_weak(seen, notified, std::memory_order_release,
                                        std::memory_order_relaxed));
  if ((seen & asleep) != 0) syscall(SYS_futex, &state, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
}

void await_notification() {
  int seen = state.load(std::memory_order_relaxed);
  for (;;) {
    if ((seen & notified) != 0) {
      if (state.compare_exchange_weak(seen, 0, std::memory_order_acquire,
                                      std::memory_order_relaxed)) {
        return;
      }
    } else if (seen == asleep ||
               state.compare_exchange_weak(seen, asleep, std::memory_order_relaxed,
                                           std::memory_order_relaxed)) {
      syscall(SYS_futex, &state, FUTEX_WAIT_PRIVATE, asleep, nullptr, nullptr, 0);  // @sleep
      seen = state.load(std::memory_order_relaxed);
    }
  }
}

void work() {
  for (int done = 0; done < 2;) {
    await_notification();
    done += tasks.exchange(0, std::memory_order_acquire);
  }
}

int main() {
  std::thread worker(work);
  schedule();
  schedule();
  worker.join();
}
