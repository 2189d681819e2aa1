// SPDX-License-Identifier: MIT
//
// A key to which something else is assigned, also by modify(), is found all the time, whole, with
// one value or the other.
//
// expect: c++20,c++14,x86,sc=holds
// case: small
// case: allocated -DALLOCATED
#include <cassert>
#include <thread>

#include "small_map.hpp"

int main() {
  small_map map;
  map.insert({first, 1});
  std::thread reader([&] {
    int seen = 0;
    const bool is_there = map.visit(first, [&](const auto& one) { seen = one.second; });
    assert(is_there);
    assert(1 <= seen && seen <= 3);
  });
  map.insert_or_assign(first, 2);
  map.insert({parted, 5});
  map.modify(first, [](int& value) { ++value; });
  reader.join();
  assert(map.find(first) == 3);
}
