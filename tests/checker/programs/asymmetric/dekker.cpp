// SPDX-License-Identifier: MIT
// A lock biased to one thread: the owner enters with a light fence, everybody else with a heavy
// one.
//
// case: biased
// expect: all=holds
//
// case: a_plain_fence_does_not_reach_the_owner
// flags: -DPLAIN
// expect: c++20=violated x86=violated
// expect: sc=holds
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <thread>

namespace {

std::atomic<bool> owner_inside, guest_inside;
int shared;

void owner() {
  owner_inside.store(true, std::memory_order_relaxed);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  if (!guest_inside.load(std::memory_order_acquire)) ++shared;
  owner_inside.store(false, std::memory_order_release);
}

void guest() {
  guest_inside.store(true, std::memory_order_relaxed);
#ifdef PLAIN
  std::atomic_thread_fence(std::memory_order_seq_cst);
#else
  syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0);
#endif
  if (!owner_inside.load(std::memory_order_acquire)) ++shared;
  guest_inside.store(false, std::memory_order_release);
}

}  // namespace

int main() {
  std::thread other(guest);
  owner();
  other.join();
}
