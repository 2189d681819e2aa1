// SPDX-License-Identifier: MIT
//
// Of two threads that insert the same key one does, and of two that erase it one.
//
// expect: c++20,c++14,x86,sc=holds
// case: inserted
// case: erased -DERASED
#include <cassert>
#include <thread>

#include "small_map.hpp"

int main() {
  small_map map;
  bool there = false;
#ifdef ERASED
  map.insert({first, 1});
  std::thread other([&] { there = map.erase(first); });
  const bool here = map.erase(first);
  other.join();
  assert(here != there && map.empty() && !map.contains(first));
#else
  std::thread other([&] { there = map.insert({first, 2}); });
  const bool here = map.insert({first, 1});
  other.join();
  assert(here != there && map.size() == 1 && map.find(first) == (here ? 1 : 2));
#endif
}
