// SPDX-License-Identifier: MIT
//
// A thread that exits leaves its slot to another, whose protection it does not undo.
//
// expect: c++20,c++14,x86,sc=holds
#include <atomic>
#include <cassert>
#include <thread>

#include "fencepost/hazard_pointer.hpp"

namespace {

struct node : fencepost::hazard_pointer_obj_base<node> {
  int value = 1;
};

std::atomic<node*> shared{nullptr};

void look() {
  auto hazard = fencepost::make_hazard_pointer();
  const node* const seen = hazard.protect(shared);
  assert(seen == nullptr || seen->value == 1);
}

}  // namespace

int main() {
  shared.store(new node, std::memory_order_relaxed);
  std::thread first(look);
  std::thread second(look);
  shared.exchange(nullptr, std::memory_order_relaxed)->retire();
  fencepost::hazard_pointer_clean_up();
  first.join();
  second.join();
}
