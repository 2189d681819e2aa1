// SPDX-License-Identifier: MIT
//
// What a thread did in a region, the inner ones that lie in it included, is done when a wait for it
// returns.
//
// expect: c++20,c++14,x86,sc=holds
// case: locked
// case: region -DREGION
#include <atomic>
#include <cassert>
#include <thread>

#include "fencepost/rcu.hpp"

namespace {

int value = 1;
std::atomic<int*> shared{&value};

}  // namespace

int main() {
  std::thread reader([] {
#ifdef REGION
    const fencepost::rcu_region outer;
    const fencepost::rcu_region inner;
    const int* const seen = shared.load(std::memory_order_relaxed);
    assert(seen == nullptr || *seen == 1);
#else
    auto& domain = fencepost::rcu_default_domain();
    domain.lock();
    domain.lock();
    int* const seen = shared.load(std::memory_order_relaxed);
    domain.unlock();
    assert(seen == nullptr || *seen == 1);
    domain.unlock();
#endif
  });
  shared.store(nullptr, std::memory_order_relaxed);
  fencepost::rcu_synchronize();
  value = 2;
  reader.join();
}
