// SPDX-License-Identifier: MIT
//
// An object that is protected when others are reclaimed is one of the next that are looked at. With
// one hazard pointer fewer than two objects are left when nobody is retiring.
//
// expect: c++20,c++14,x86,sc=holds
#include <cassert>
#include <thread>

#include "counted.hpp"

int main() {
  fencepost::hazard_pointer_garbage_limit(1);
  auto hazard = fencepost::make_hazard_pointer();
  auto* const stays = new counted;
  hazard.reset_protection(stays);
  std::thread other([] { (new counted)->retire(); });
  stays->retire();
  (new counted)->retire();
  other.join();
  hazard.reset_protection();
  (new counted)->retire();
  assert(reclaimed.load(std::memory_order_relaxed) > 2);
}
