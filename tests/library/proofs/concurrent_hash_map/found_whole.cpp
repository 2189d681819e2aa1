// SPDX-License-Identifier: MIT
//
// Who finds an element finds it as it was made, and what preceded its insertion: when it is new,
// when what hung in front of it is taken out, and when it has been moved.
//
// models: c++20 c++14 x86 sc
#include <cassert>
#include <thread>

#include "small_map.hpp"

namespace {

int before = 0;

}  // namespace

int main() {
  small_map map;
  std::thread reader([&] {
    map.visit(first, [](const auto& one) {
      assert(one.second == 7);
      assert(before == 1);
    });
  });
  before = 1;
  map.insert({first, 7});
  map.insert({beside_first, 8});
  map.erase(beside_first);
  grow(map);
  reader.join();
}
