// SPDX-License-Identifier: MIT
//
// for_each() comes by what is there all the time, once, while others insert and erase.
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
  map.insert({parted, 1});
  std::thread other([&] {
    map.erase(parted);
    map.insert({beside_first, 1});
  });
  int seen = 0;
  map.for_each([&](const auto& one) { seen += one.first == first; });
  assert(seen == 1);
  other.join();
}
