// SPDX-License-Identifier: MIT
// A test-and-set lock without its loop: only attempts that succeed count. Each order of three
// threads is an execution, and what one section wrote the next one sees.
//
// case: acquired
// flags: -DORDER=std::memory_order_acquire
// expect: all=holds executions=6
//
// case: acquired_by_one_after_the_other
// flags: -DORDER=std::memory_order_acquire
// options: --jobs 2
// expect: all=holds executions=6
//
// case: relaxed
// flags: -DORDER=std::memory_order_relaxed
// expect: all=violated:data-race at=section
#include <atomic>
#include <cassert>
#include <fencepost/instrumentation.hpp>
#include <thread>

std::atomic<bool> locked{false};
int inside = 0;

void section() {
  fencepost::instrumentation::assume(!locked.exchange(true, ORDER));
  ++inside;  // @section
  locked.store(false, std::memory_order_release);
}

int main() {
  std::thread one(section), two(section), three(section);
  one.join();
  two.join();
  three.join();
  assert(inside == 3);
}
