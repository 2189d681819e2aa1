// SPDX-License-Identifier: MIT
// affinitypool, SurrealDB's thread pool: a queue of tasks and a list of parked workers.
// https://github.com/surrealdb/affinitypool/issues/21
// https://github.com/surrealdb/affinitypool/pull/22
//
// spawn() pushes a task, then pops a parked worker to wake it. A worker that finds no task puts
// itself on the list, looks at the tasks once more, and parks. Each list is released and acquired,
// which orders what is within one list; between the two, both sides may look too early. On x86 each
// push is a locked instruction and hides it; an interpreter that knows the model (Miri) found it.
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

std::atomic<int> tasks{0};
std::atomic<int> parked{0};  // the list of parked workers, of whom there is one
std::atomic<int> token{0};   // what unpark leaves for park

bool pop(std::atomic<int>& list) {
  int length = list.load(std::memory_order_acquire);
  while (length > 0) {
    if (list.compare_exchange_weak(length, length - 1, std::memory_order_acquire)) return true;
  }
  return false;
}

void spawn() {
  tasks.fetch_add(1, std::memory_order_release);
#ifdef REPAIRED
  std::atomic_thread_fence(std::memory_order_seq_cst);
#endif
  if (pop(parked)) {
    token.store(1, std::memory_order_release);
    syscall(SYS_futex, &token, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
  }
}

void work() {
  if (pop(tasks)) return;
  parked.fetch_add(1, std::memory_order_release);
#ifdef REPAIRED
  std::atomic_thread_fence(std::memory_order_seq_cst);
#endif
  if (tasks.load(std::memory_order_acquire) == 0) {
    while (token.load(std::memory_order_acquire) == 0) {
      syscall(SYS_futex, &token, FUTEX_WAIT_PRIVATE, 0, nullptr, nullptr, 0);  // @sleep
    }
  }
  const bool found = pop(tasks);
  assert(found);
}

int main() {
  std::thread worker(work);
  spawn();
  worker.join();
}
