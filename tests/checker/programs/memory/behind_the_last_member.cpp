// SPDX-License-Identifier: MIT
// Behind the last member of a class, a derived class may have one of its own. Who copies an object
// of the base reads that, and means it not: it is no race. But the memory must be there, and what
// is found there may matter.
//
// case: base_of_another
// expect: all=holds
//
// case: base_of_another_without_optimisation
// flags: -O0
// expect: all=holds
//
// case: base_of_another_optimised
// flags: -O2
// expect: all=holds
//
// case: base_of_another_with_clang
// options: --cc clang-14
// expect: all=holds
//
// case: member_that_may_overlap
// flags: -DWAY=overlaps
// expect: all=holds
//
// case: member_that_may_overlap_without_optimisation
// flags: -O0 -DWAY=overlaps
// expect: all=holds
//
// case: member_that_may_overlap_with_clang
// flags: -DWAY=overlaps
// options: --cc clang-14
// expect: all=holds
//
// case: passed_by_value
// flags: -DWAY=passes
// expect: all=holds
//
// case: its_own_last_member
// flags: -DWAY=itself
// expect: all=violated:data-race at=copied
//
// case: its_own_last_member_without_optimisation
// flags: -O0 -DWAY=itself
// expect: all=violated:data-race at=copied
//
// case: its_own_last_member_with_clang
// flags: -DWAY=itself
// options: --cc clang-14
// expect: all=violated:data-race at=copied
//
// case: its_own_last_member_passed_by_value
// flags: -DWAY=passes -DWRITTEN=length
// expect: all=violated:data-race at=copied
//
// case: member_of_a_member
// flags: -DWAY=nested
// expect: all=violated:data-race at=copied
//
// case: bit_field
// flags: -DWAY=bits
// expect: all=violated:data-race at=copied
//
// case: bit_field_with_clang
// flags: -DWAY=bits
// options: --cc clang-14
// expect: all=violated:data-race at=copied
//
// case: block_that_is_too_short
// flags: -DWAY=too_short
// expect: all=violated:memory at=copied
//
// case: block_that_is_too_short_with_clang
// flags: -DWAY=too_short
// options: --cc clang-14
// expect: all=violated:memory at=copied
//
// case: compared_though_nobody_has_written_it
// flags: -DWAY=compared
// expect: all=violated:memory at=copied
#include <cassert>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <thread>

#ifndef WAY
#define WAY base
#endif
#ifndef WRITTEN
#define WRITTEN flags
#endif

struct header {
  header() {}
  std::uint64_t id = 1;
  std::uint32_t length = 2;
};
struct frame : header {
  std::uint32_t flags = 0;
};
struct holder {
  [[no_unique_address]] header first;
  std::uint32_t flags = 0;
};
struct outer {
  outer() {}
  std::uint64_t id = 1;
  header inner;
};
struct packed {
  packed() : low(1), high(2) {}
  std::uint64_t id = 1;
  std::uint32_t low : 20;
  std::uint32_t high : 20;
};
struct large {
  large() {}
  std::uint64_t words[3] = {1, 2, 3};
  std::uint32_t length = 4;
};
struct largest : large {
  std::uint32_t flags = 0;
};

template <typename Write, typename Copy>
static void together(const Write& write, const Copy& copy) {
  std::thread writer(write);
  copy();
  writer.join();
}

[[gnu::noinline]] static std::uint64_t third(large object) { return object.words[2]; }

template <typename T>
[[gnu::noinline]] static T copy_of(const T& object) {
  return object;  // @copied
}

[[maybe_unused]] static void base() {
  frame object;
  together([&] { object.flags = 1; }, [&] { assert(copy_of<header>(object).length == 2); });
}

[[maybe_unused]] static void itself() {
  frame object;
  const auto write = [&] { object.length = 1; };                      // @copied
  together(write, [&] { assert(copy_of<header>(object).id == 1); });  // @copied
}

[[maybe_unused]] static void overlaps() {
  holder object;
  together([&] { object.flags = 1; }, [&] { assert(copy_of(object.first).length == 2); });
}

[[maybe_unused]] static void passes() {
  largest object;
  const auto write = [&] { object.WRITTEN = 1; };        // @copied
  together(write, [&] { assert(third(object) == 3); });  // @copied
}

[[maybe_unused]] static void nested() {
  outer object;
  const auto write = [&] { object.inner.length = 1; };        // @copied
  together(write, [&] { assert(copy_of(object).id == 1); });  // @copied
}

[[maybe_unused]] static void bits() {
  packed object;
  const auto write = [&] { object.high = 1; };                // @copied
  together(write, [&] { assert(copy_of(object).id == 1); });  // @copied
}

[[maybe_unused]] static void too_short() {
  auto* const object = static_cast<header*>(std::malloc(12));
  object->id = 1;
  object->length = 2;
  assert(copy_of(*object).length == 2);
  std::free(object);
}

[[maybe_unused]] static void compared() {
  auto* const object = new header;
  const header copy = copy_of(*object);
  static const header nothing{};
  assert(std::memcmp(&copy, &nothing, sizeof copy) != 0);
  delete object;
}

int main() { WAY(); }
