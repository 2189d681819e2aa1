// SPDX-License-Identifier: MIT
//
// A load that takes no lock, for it reads a version before and after, sees an object that one store
// wrote, never parts of two.
//
// expect: c++20,c++14,x86,sc=holds
// case: one_store
// case: two_stores -DTWICE
// case: two_lines -DTWO_LINES
// case: no_version -DNO_VERSION
// expect: c++20,c++14,x86,sc=violated
#include <cassert>
#include <thread>

#include "three_words.hpp"

namespace fencepost::atomics {
constinit table_type table;
}

int main() {
  std::thread writer([] {
    store(1);
#if defined(TWICE)
    store(2);
#endif
  });
#if defined(NO_VERSION)
  const auto read = [](std::uint64_t& word) { return __atomic_load_n(&word, __ATOMIC_RELAXED); };
  const three_words seen{read(object.a), read(object.b), read(object.c)};
#else
  const three_words seen = load();
#endif
  assert(seen.is_whole());
  writer.join();
}
