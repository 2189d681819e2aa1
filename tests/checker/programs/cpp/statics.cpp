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
// case: made_in_place_by_a_call
// flags: -DMADE_BY_A_CALL
// expect: all=holds
//
// case: not_really_static
// flags: -DHOME_MADE
// expect: all=violated:data-race at=race
#include <atomic>
#include <cassert>
#include <stdexcept>
#include <string>
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

#ifdef MADE_BY_A_CALL
struct made {
  std::string text;
  int size;
};
made make(const std::string& from) {
  made result{from, 12};
  constructions.fetch_add(1, std::memory_order_relaxed);
  result.text += "d, and longer than what fits in";
  return result;
}

const made& the_table() {
  static const std::string text(std::string("plaine") + "d");
  static const made instance = make(text);
  return instance;
}
#else
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
#endif

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
