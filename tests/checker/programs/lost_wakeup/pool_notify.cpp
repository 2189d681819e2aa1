// SPDX-License-Identifier: MIT
// A thread pool: the producer pushes a task, then reads the pool's state to see whether a worker
// is idle. Reading it by fetch_or(0) makes the producer part of the state's chain of
// read-modify-writes, and the worker that goes idle later must then see the task.
//
// case: load
// expect: c++20=violated:lost-wakeup x86=violated:lost-wakeup sc=holds at=sleep
//
// case: fetch_or_of_nothing
// flags: -DFETCH_OR
// expect: all=holds
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cassert>
#include <thread>

constexpr int idle_bit = 1;
constexpr int notified_bit = 2;

std::atomic<int> tasks{0};
std::atomic<int> state{0};

void notify() {
#ifdef FETCH_OR
  const int seen = state.fetch_or(0, std::memory_order_release);
#else
  const int seen = state.load(std::memory_order_relaxed);
#endif
  if ((seen & idle_bit) != 0) {
    state.fetch_or(notified_bit, std::memory_order_release);
    syscall(SYS_futex, &state, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
  }
}

bool take_task() { return tasks.exchange(0, std::memory_order_acquire) != 0; }

void work() {
  if (take_task()) return;
  state.fetch_or(idle_bit, std::memory_order_acquire);
  if (take_task()) return;
  while ((state.load(std::memory_order_acquire) & notified_bit) == 0) {
    syscall(SYS_futex, &state, FUTEX_WAIT_PRIVATE, idle_bit, nullptr, nullptr, 0);  // @sleep
  }
  assert(take_task());
}

int main() {
  std::thread worker(work);
  tasks.store(1, std::memory_order_release);
  notify();
  worker.join();
}
