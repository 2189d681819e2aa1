// SPDX-License-Identifier: MIT
//
// What is read in a region is not reclaimed before it is closed, in whichever thread that is: not
// by who waits and deletes, nor when a batch is full, nor by a barrier; with the kernel's barrier
// and with full fences on both sides.
//
// expect: c++20,c++14,x86,sc=holds
// options:
// options: --no-membarrier
// case: waited -DRECLAIM=1
// case: batch -DRECLAIM=2
// case: barrier -DRECLAIM=3
#include <atomic>
#include <cassert>
#include <thread>
#include <utility>

#include "fencepost/srcu.hpp"

namespace {

struct node : fencepost::rcu_obj_base<node> {
  explicit node(int n) : value(n) {}
  int value;
};

std::atomic<node*> shared{nullptr};

void reclaim(node* old, fencepost::srcu_domain& domain) {
  if (RECLAIM == 1) {
    rcu_synchronize(domain);
    delete old;
    return;
  }
  if (RECLAIM == 2) rcu_batch_size(1, domain);
  old->retire({}, domain);
  if (RECLAIM == 3) rcu_barrier(domain);
}

}  // namespace

int main() {
  fencepost::srcu_domain domain;
  shared.store(new node(1), std::memory_order_relaxed);
  std::thread reader([&domain] {
    fencepost::srcu_region reading(domain);
    const node* const seen = shared.load(std::memory_order_acquire);
    std::thread([seen, closes = std::move(reading)] {
      assert(seen->value == 1 || seen->value == 2);
    }).join();
  });
  reclaim(shared.exchange(new node(2), std::memory_order_release), domain);
  reader.join();
}
