// SPDX-License-Identifier: MIT
//
// An element that was found is found from then on: also where another of the same key was erased
// just before, and its place taken.
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
    if (map.find(first) == 2) assert(map.find(first) == 2);
  });
  map.erase(first);
  map.insert({first, 2});
  reader.join();
}
