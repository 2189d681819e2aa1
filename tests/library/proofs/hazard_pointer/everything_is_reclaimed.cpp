// SPDX-License-Identifier: MIT
//
// What is retired is reclaimed, each object once: by threads that reclaim at the same time, from
// destructors, and what was protected meanwhile.
//
// expect: c++20,c++14,x86,sc=holds
#include <atomic>
#include <cassert>
#include <thread>

#include "counted.hpp"

namespace {

struct list : fencepost::hazard_pointer_obj_base<list> {
  ~list() { next->retire(); }
  counted* next = new counted;
};

std::atomic<list*> shared{nullptr};

}  // namespace

int main() {
  fencepost::hazard_pointer_garbage_limit(1);
  shared.store(new list, std::memory_order_relaxed);
  std::thread reader([] {
    auto hazard = fencepost::make_hazard_pointer();
    hazard.protect(shared);
    (new counted)->retire();
  });
  shared.exchange(nullptr, std::memory_order_relaxed)->retire();
  reader.join();
  fencepost::hazard_pointer_clean_up();
  assert(reclaimed.load(std::memory_order_relaxed) == 2);
}
