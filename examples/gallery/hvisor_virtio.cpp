// SPDX-License-Identifier: MIT
// hvisor's virtio requests: a guest that does not ring, a daemon that does not look.
// https://github.com/syswonder/hvisor/pull/266
//
// The guest's side puts a request into a shared ring and rings only if the daemon says that it
// wants to be woken. The daemon says so, looks at the ring once more, and sleeps. Four relaxed
// accesses to two words: store buffering in its purest form, on every processor. It had been
// papered over by a sleep of at most one millisecond.
//
// case: broken
// expect: c++20=violated:lost-wakeup x86=violated:lost-wakeup sc=holds at=sleep says="T1 sleeps"
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

std::atomic<unsigned> requests{0};  // the rear of the ring; its front is the daemon's own
std::atomic<bool> need_wakeup{false};
std::atomic<int> doorbell{0};
int request = 0;

void full_fence() {
#ifdef REPAIRED
  std::atomic_thread_fence(std::memory_order_seq_cst);
#endif
}

void guest() {
  request = 42;
  std::atomic_thread_fence(std::memory_order_release);
  requests.store(1, std::memory_order_relaxed);
  full_fence();
  if (need_wakeup.load(std::memory_order_relaxed)) {
    doorbell.store(1, std::memory_order_release);
    syscall(SYS_futex, &doorbell, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
  }
}

void serve() {
  if (requests.load(std::memory_order_relaxed) == 0) {
    need_wakeup.store(true, std::memory_order_relaxed);
    full_fence();
    while (requests.load(std::memory_order_relaxed) == 0 &&
           doorbell.load(std::memory_order_acquire) == 0) {
      syscall(SYS_futex, &doorbell, FUTEX_WAIT_PRIVATE, 0, nullptr, nullptr, 0);  // @sleep
    }
    need_wakeup.store(false, std::memory_order_relaxed);
  }
  std::atomic_thread_fence(std::memory_order_acquire);
  assert(request == 42);
}

int main() {
  std::thread host(serve);
  guest();
  host.join();
}
