// SPDX-License-Identifier: MIT
//
// Keys that are there all the time are found, whole, by who looks while the map grows, and the old
// table is not reclaimed under a reader: of three elements in one bucket, the second goes to
// another bucket than the others.
//
// expect: c++20,c++14,x86,sc=holds
// case: small
// case: allocated -DALLOCATED
// case: second_word -DSECOND_WORD
// case: behind -DBEHIND
// case: batch -DBATCH
#include <cassert>
#include <thread>

#include "small_map.hpp"

int main() {
  fencepost::rcu_batch_size(1);
  small_map map;
#ifdef SECOND_WORD
  fill(map, first_word);
#elif defined(BEHIND)
  fill(map, first_part);
#endif
  for (const number key : {first, parted, beside_first}) map.insert({key, 7});
  std::thread reader([&] {
    for (const number key : {first, parted}) {
      int seen = 0;
      const bool is_there = look_up(map, key, [&](const auto& one) { seen = one.second; });
      assert(is_there);
      assert(seen == 7);
    }
  });
  grow(map);
  reader.join();
  for (const number key : {first, parted, beside_first}) assert(map.contains(key));
  assert(map.bucket_count() == 4);
}
