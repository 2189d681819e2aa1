// SPDX-License-Identifier: MIT
// A static inside a function is initialised by one thread while the others wait for it; if its
// constructor throws, the next one tries again.
//
// case: initialised_once
// expect: all=holds
//
// case: constructor_throws_once
// flags: -DTHROW=1
// expect: all=holds
//
// case: constructor_throws_twice
// flags: -DTHROW=2
// expect: all=violated:assertion at=failures
//
// case: not_really_static
// flags: -DHOME_MADE
// expect: all=violated:data-race at=race
#include <atomic>
#include <cassert>
#include <stdexcept>
#include <thread>

std::atomic<int> constructions{0};

struct table {
  int size;
  table() : size(0) {
    const int before = constructions.fetch_add(1, std::memory_order_relaxed);
#ifdef THROW
    if (before < THROW) throw std::runtime_error("not yet");
#else
    (void)before;
#endif
    size = 12;  // @race
  }
};

const table& the_table() {
#ifdef HOME_MADE
  static bool ready = false;
  static table* instance;
  if (!ready) {            // @race
    instance = new table;  // @race
    ready = true;          // @race
  }
  return *instance;  // @race
#else
  static const table instance;
  return instance;
#endif
}

int main() {
  std::atomic<int> failures{0};
  auto use = [&failures] {
    try {
      assert(the_table().size == 12);  // @race
    } catch (const std::runtime_error&) {
      failures.fetch_add(1, std::memory_order_relaxed);
    }
  };
  std::thread first(use);
  std::thread second(use);
  first.join();
  second.join();
#ifdef THROW
  assert(constructions.load() == 2);
  assert(failures.load() == 1);  // @failures
#else
  assert(constructions.load() == 1);
#endif
}
