// SPDX-License-Identifier: MIT
//
// What a visitor is passed is not destroyed before the visitor returns, though it is replaced,
// erased, or all are cleared, and reclaimed at once.
//
// expect: c++20,c++14,x86,sc=holds
// case: allocated -DALLOCATED
#include <cassert>
#include <thread>

#include "small_map.hpp"

int main() {
  fencepost::rcu_batch_size(1);
  small_map map;
  map.insert({first, 1});
  std::thread reader([&] {
    map.visit(first, [](const auto& one) { assert(1 <= one.second && one.second <= 3); });
  });
  map.insert_or_assign(first, 2);
  map.erase(first);
  map.insert({first, 3});
  map.clear();
  reader.join();
}
