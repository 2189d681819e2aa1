// SPDX-License-Identifier: MIT
//
// What is read in a region is not reclaimed before it is closed: not by who waits and deletes, nor
// when a batch is full, nor by a barrier; with the kernel's barrier and with full fences on both
// sides. The reader is enrolled meanwhile.
//
// expect: c++20,c++14,x86,sc=holds
// options:
// options: --no-membarrier
// case: waited -DRECLAIM=1
// case: batch -DRECLAIM=2
// case: barrier -DRECLAIM=3
// case: region -DRECLAIM=2 -DREGION
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

#include "fencepost/rcu.hpp"

namespace {

struct node : fencepost::rcu_obj_base<node> {
  explicit node(int n) : value(n) {}
  int value;
};

std::atomic<node*> shared{nullptr};

void reclaim(node* old) {
  if (RECLAIM == 1) {
    fencepost::rcu_synchronize();
    delete old;
    return;
  }
  if (RECLAIM == 2) fencepost::rcu_batch_size(1);
  old->retire();
  if (RECLAIM == 3) fencepost::rcu_barrier();
}

}  // namespace

int main() {
  shared.store(new node(1), std::memory_order_relaxed);
  std::thread reader([] {
#ifdef REGION
    const fencepost::rcu_region reading;
#else
    const std::scoped_lock reading(fencepost::rcu_default_domain());
#endif
    const node* const seen = shared.load(std::memory_order_acquire);
    assert(seen->value == 1 || seen->value == 2);
  });
  reclaim(shared.exchange(new node(2), std::memory_order_release));
  reader.join();
}
