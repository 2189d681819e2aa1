// SPDX-License-Identifier: MIT
//
// A wait ends though the reader has entered again: what the reader did before comes before the end
// of the wait, and in the new region it finds unlinked what was.
//
// expect: c++20,c++14,x86,sc=holds
// case: locked
// case: region -DREGION
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

#include "fencepost/rcu.hpp"

namespace {

int value = 1;
std::atomic<int*> shared{&value};

}  // namespace

int main() {
  std::thread reader([] {
    for (int n = 0; n != 2; ++n) {
#ifdef REGION
      const fencepost::rcu_region reading;
#else
      const std::scoped_lock reading(fencepost::rcu_default_domain());
#endif
      const int* const seen = shared.load(std::memory_order_relaxed);
      assert(seen == nullptr || *seen == 1);
    }
  });
  shared.store(nullptr, std::memory_order_relaxed);
  fencepost::rcu_synchronize();
  value = 2;
  reader.join();
}
