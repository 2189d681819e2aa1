// SPDX-License-Identifier: MIT
//
// What a reader did with an object is done when it is deleted, whether the reader ended the
// protection or went on to protect something else.
//
// expect: c++20,c++14,x86,sc=holds
// case: ended
// case: next -DNEXT
#include <atomic>
#include <cassert>
#include <thread>

#include "fencepost/hazard_pointer.hpp"

namespace {

struct node : fencepost::hazard_pointer_obj_base<node> {
  int value = 1;
};

std::atomic<node*> shared{nullptr};

}  // namespace

int main() {
  shared.store(new node, std::memory_order_relaxed);
  auto hazard = fencepost::make_hazard_pointer();
  const node* const seen = hazard.protect(shared);
  std::thread reader([seen, hazard = std::move(hazard)]() mutable {
    assert(seen->value == 1);
#ifdef NEXT
    hazard.protect(shared);
#else
    hazard.reset_protection();
#endif
  });
  shared.exchange(nullptr, std::memory_order_relaxed)->retire();
  fencepost::hazard_pointer_clean_up();
  reader.join();
}
