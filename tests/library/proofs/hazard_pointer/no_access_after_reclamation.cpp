// SPDX-License-Identifier: MIT
//
// What a hazard pointer protects is not reclaimed: neither what is retired while others protect it,
// nor what its slot, made meanwhile, is on the way to protect. Who reclaims does so because there
// is enough garbage, or because it cleans up;
// with the kernel's barrier and with full fences on both sides.
//
// expect: c++20,c++14,x86,sc=holds
// options:
// options: --no-membarrier
// case: enough
// case: cleaned -DCLEAN_UP
#include <atomic>
#include <cassert>
#include <thread>

#include "fencepost/hazard_pointer.hpp"

namespace {

struct node : fencepost::hazard_pointer_obj_base<node> {
  explicit node(int n) : value(n) {}
  int value;
};

std::atomic<node*> shared{nullptr};

}  // namespace

int main() {
  fencepost::hazard_pointer_garbage_limit(1);
  shared.store(new node(1), std::memory_order_relaxed);
  std::thread reader([] {
    auto hazard = fencepost::make_hazard_pointer();
    const node* const seen = hazard.protect(shared);
    assert(seen->value == 1 || seen->value == 2);
  });
  shared.exchange(new node(2), std::memory_order_release)->retire();
#ifdef CLEAN_UP
  fencepost::hazard_pointer_clean_up();
#else
  (new node(3))->retire();
#endif
  reader.join();
}
