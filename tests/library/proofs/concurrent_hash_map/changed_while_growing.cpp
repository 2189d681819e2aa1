// SPDX-License-Identifier: MIT
//
// What is inserted or erased while the map grows is so when it has grown, whichever table
// the writer came upon.
//
// expect: c++20,c++14,x86,sc=holds
// case: inserted -DBEFORE=false
// case: erased -DBEFORE=true
#include <cassert>
#include <thread>

#include "small_map.hpp"

int main() {
  small_map map;
  if (BEFORE) map.insert({parted, 1});
  std::thread other([&] { assert(BEFORE ? map.erase(parted) : map.insert({parted, 1})); });
  grow(map);
  other.join();
  assert(map.contains(parted) == !BEFORE);
  assert(map.size() == (BEFORE ? 0U : 1U));
}
