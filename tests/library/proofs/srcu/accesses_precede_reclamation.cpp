// SPDX-License-Identifier: MIT
//
// What was done in regions is done when a wait for them returns; and it returns, though others are
// opened.
//
// expect: c++20,c++14,x86,sc=holds
#include <atomic>
#include <cassert>
#include <thread>

#include "fencepost/srcu.hpp"

namespace {

int value = 1;
std::atomic<int*> shared{&value};

}  // namespace

int main() {
  fencepost::srcu_domain domain;
  std::thread reader([&domain] {
    for (int n = 0; n != 2; ++n) {
      const fencepost::srcu_region reading(domain);
      const int* const seen = shared.load(std::memory_order_relaxed);
      assert(seen == nullptr || *seen == 1);
    }
  });
  shared.store(nullptr, std::memory_order_relaxed);
  rcu_synchronize(domain);
  value = 2;
  reader.join();
}
