// SPDX-License-Identifier: MIT
//
// When nobody is retiring, fewer objects than the limit are left, two here: none is forgotten by a
// thread that reclaims at the same time.
//
// expect: c++20,c++14,x86,sc=holds
// case: retired -DOTHERS_RETIRE=1 -DOTHERS_CLEAN_UP=0
// case: cleaned -DOTHERS_RETIRE=0 -DOTHERS_CLEAN_UP=1
// case: both -DOTHERS_RETIRE=1 -DOTHERS_CLEAN_UP=1
#include <cassert>
#include <thread>
#include <vector>

#include "counted.hpp"

int main() {
  fencepost::hazard_pointer_garbage_limit(2);
  std::vector<std::thread> others;
  if (OTHERS_RETIRE) others.emplace_back([] { (new counted)->retire(); });
  if (OTHERS_CLEAN_UP) others.emplace_back([] { fencepost::hazard_pointer_clean_up(); });
  (new counted)->retire();
  if (!OTHERS_RETIRE) (new counted)->retire();
  for (std::thread& other : others) other.join();
  if (OTHERS_RETIRE && OTHERS_CLEAN_UP) {
    (new counted)->retire();
    assert(reclaimed.load(std::memory_order_relaxed) > 1);
  } else {
    assert(reclaimed.load(std::memory_order_relaxed) > 0);
  }
}
