// SPDX-License-Identifier: MIT
//
// Two threads count by compare-exchange, and none of the numbers is missed; what a failed one hands
// back is whole.
//
// expect: c++20,c++14,x86,sc=holds
#include <cassert>
#include <thread>

#include "three_words.hpp"

namespace fencepost::atomics {
constinit table_type table;
}

int main() {
  const auto count = [] {
    three_words seen{0, 0, 0};
    for (;;) {
      three_words next{seen.a + 1, seen.b + 1, seen.c + 1};
      if (place().compare_exchange(bytes(seen), bytes(next), __ATOMIC_ACQ_REL)) return;
      assert(seen.is_whole());
    }
  };
  std::thread other(count);
  count();
  other.join();
  assert(load().a == 2 && load().is_whole());
}
