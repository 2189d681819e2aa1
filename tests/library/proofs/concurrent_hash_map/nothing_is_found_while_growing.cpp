// SPDX-License-Identifier: MIT
//
// A key that is not there is not found by who looks while the map grows, and who looks comes to an
// end.
//
// expect: c++20,c++14,x86,sc=holds
#include <cassert>
#include <thread>

#include "small_map.hpp"

int main() {
  small_map map;
  map.insert({parted, 1});
  map.insert({beside_first, 2});
  std::thread reader([&] { assert(!map.contains(first)); });
  grow(map);
  reader.join();
}
