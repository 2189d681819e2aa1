// SPDX-License-Identifier: MIT
//
// Who finds an element finds it as it was made, and what preceded its insertion: when it is new,
// when another beside it is taken out, and when it has moved; when it is behind the first part of
// its bucket, and when it is in the place of another that was erased.
//
// expect: c++20,c++14,x86,sc=holds
// case: small
// case: allocated -DALLOCATED
// case: behind -DBEHIND
// case: behind_another -DBEHIND -DBEHIND_ANOTHER
// case: place_of_another -DPLACE_OF_ANOTHER
// case: place_of_another_allocated -DPLACE_OF_ANOTHER -DALLOCATED
// case: batch -DBATCH
// case: batch_behind -DBATCH -DBEHIND
// case: batch_place_of_another -DBATCH -DPLACE_OF_ANOTHER
#include <cassert>
#include <thread>

#include "small_map.hpp"

namespace {

int before = 0;

}  // namespace

int main() {
  small_map map;
#ifdef BEHIND
  fill(map, first_part);
#endif
#if defined(PLACE_OF_ANOTHER) || defined(BEHIND_ANOTHER)
  map.insert({beside_first, 8});
#endif
  std::thread reader([&] {
    look_up(map, first, [](const auto& one) {
      assert(one.second == 7);
      assert(before == 1);
    });
  });
#ifdef PLACE_OF_ANOTHER
  map.erase(beside_first);
#endif
  before = 1;
  map.insert({first, 7});
#ifndef PLACE_OF_ANOTHER
  map.insert({beside_first, 8});
  map.erase(beside_first);
#ifndef BEHIND
  grow(map);
#endif
#endif
  reader.join();
}
