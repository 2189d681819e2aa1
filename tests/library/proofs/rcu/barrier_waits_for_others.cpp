// SPDX-License-Identifier: MIT
//
// A barrier does not return before the deleters that another thread is calling.
//
// expect: c++20,c++14,x86,sc=holds
#include <cassert>
#include <thread>

#include "fencepost/rcu.hpp"

int main() {
  fencepost::rcu_batch_size(2);
  int ended = 0;
  fencepost::rcu_retire(&ended, [](int* count) { ++*count; });
  std::thread other([] {
    static int own = 0;
    fencepost::rcu_retire(&own, [](int* count) { ++*count; });
  });
  fencepost::rcu_barrier();
  assert(ended == 1);
  other.join();
}
