// SPDX-License-Identifier: MIT
//
// Threads enrol when they open their first region and are gone when they exit, while somebody waits
// for readers: for those that read, and for no others.
//
// expect: c++20,c++14,x86,sc=holds
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

#include "fencepost/rcu.hpp"

namespace {

int value = 1;
std::atomic<int*> shared{&value};

void look() {
  const std::scoped_lock reading(fencepost::rcu_default_domain());
  const int* const seen = shared.load(std::memory_order_relaxed);
  assert(seen == nullptr || *seen == 1);
}

}  // namespace

int main() {
  std::thread first(look);
  std::thread second(look);
  shared.store(nullptr, std::memory_order_relaxed);
  fencepost::rcu_synchronize();
  value = 2;
  first.join();
  second.join();
}
