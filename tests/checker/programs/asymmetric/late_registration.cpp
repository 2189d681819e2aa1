// SPDX-License-Identifier: MIT
// A thread that calls the expedited barrier counts on another thread's registration.
//
// case: in_a_constructor
// flags: -DIN_CONSTRUCTOR
// expect: all=holds executions=3
//
// case: nobody_before
// expect: all=violated:assertion at=barrier
//
// case: told_of_it
// flags: -DTOLD
// expect: all=holds
//
// case: told_by_nothing_that_orders
// flags: -DTOLD -DORDER=memory_order_relaxed
// expect: c++20=violated:assertion at=barrier
// expect: x86=holds
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cassert>
#include <thread>

#ifndef ORDER
#define ORDER memory_order_acquire
#endif

namespace {

bool enrol() {
  return syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
}

#ifdef IN_CONSTRUCTOR
const bool enrolled = enrol();
#endif
std::atomic<int> x, y;
std::atomic<bool> told;
int seen_x, seen_y;

void rare() {
#ifdef TOLD
  if (!told.load(std::ORDER)) return;
#endif
  y.store(1, std::memory_order_relaxed);
  assert(syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) == 0);  // @barrier
  seen_x = x.load(std::memory_order_relaxed);
}

}  // namespace

int main() {
  std::thread other(rare);
#ifndef IN_CONSTRUCTOR
  assert(enrol());
#endif
  told.store(true, std::memory_order_release);
  x.store(1, std::memory_order_relaxed);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  seen_y = y.load(std::memory_order_relaxed);
  other.join();
  assert(seen_x != 0 || seen_y != 0 || y.load(std::memory_order_relaxed) == 0);
}
