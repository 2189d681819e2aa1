// SPDX-License-Identifier: MIT
//
// Keys that are there all the time are found, whole, by who looks while the map grows, and the old
// table is not reclaimed under a reader: of three elements in one chain, the one in the middle goes
// to another chain than the others.
//
// models: c++20 c++14 x86 sc
#include <cassert>
#include <thread>

#include "small_map.hpp"

int main() {
  fencepost::rcu_batch_size(1);
  small_map map;
  for (const number key : {first, parted, beside_first}) map.insert({key, 7});
  std::thread reader([&] {
    for (const number key : {first, parted}) {
      int seen = 0;
      const bool is_there = map.visit(key, [&](const auto& one) { seen = one.second; });
      assert(is_there);
      assert(seen == 7);
    }
  });
  grow(map);
  reader.join();
  for (const number key : {first, parted, beside_first}) assert(map.contains(key));
  assert(map.bucket_count() == 4);
}
