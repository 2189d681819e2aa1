// SPDX-License-Identifier: MIT
//
// After a barrier all is reclaimed that was retired before it, each object once and as it was left:
// by whichever of the threads, also while a region was open, and where a deleter retires. With
// batches of one object there is no barrier while the other thread runs: too many executions.
//
// expect: c++20,c++14,x86,sc=holds
// case: gathered -DBATCH=1000
// case: at_once -DBATCH=1
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

#include "fencepost/rcu.hpp"

namespace {

std::atomic<int> sum{0};

struct node : fencepost::rcu_obj_base<node> {
  explicit node(int n) : value(n) {}
  ~node() {
    // relaxed: looked at by who waited.
    sum.fetch_add(value, std::memory_order_relaxed);
    if (value == 1) (new node(2))->retire();
  }
  int value;
};

}  // namespace

int main() {
  fencepost::rcu_batch_size(BATCH);
  std::thread other([] {
    const std::scoped_lock reading(fencepost::rcu_default_domain());
    (new node(4))->retire();
  });
  (new node(1))->retire();
  if (BATCH > 1) {
    fencepost::rcu_barrier();
    assert((sum.load(std::memory_order_relaxed) & 1) == 1);
  }
  other.join();
  fencepost::rcu_barrier();
  fencepost::rcu_barrier();  // for what a deleter retired during the first
  assert(sum.load(std::memory_order_relaxed) == 7);
}
