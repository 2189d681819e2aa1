// SPDX-License-Identifier: MIT
//
// A batch may be reclaimed because somebody else has waited for the readers, whose wait was begun
// later: what had been unlinked for the batch was so before that wait. Not under C++14, where a
// fence orders what its own thread did, and not what happens before it; C++20 mended that
// (P0668R5).
#include <atomic>
#include <cassert>
#include <thread>

#include "fencepost/srcu.hpp"

namespace {

struct node : fencepost::rcu_obj_base<node> {
  int value = 1;
};

std::atomic<node*> shared{nullptr};

}  // namespace

int main() {
  fencepost::srcu_domain domain;
  rcu_batch_size(1, domain);
  shared.store(new node, std::memory_order_relaxed);
  std::thread reader([&domain] {
    const fencepost::srcu_region reading(domain);
    const node* const seen = shared.load(std::memory_order_relaxed);
    assert(seen == nullptr || seen->value == 1);
  });
  std::thread other([&domain] { rcu_synchronize(domain); });
  shared.exchange(nullptr, std::memory_order_relaxed)->retire({}, domain);
  reader.join();
  other.join();
}
