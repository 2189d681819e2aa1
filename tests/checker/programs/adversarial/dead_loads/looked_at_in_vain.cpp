// SPDX-License-Identifier: MIT
// A member is read, and the compiler proves that nothing depends on its value: a bool is never
// greater than 2. In the source the read races with the write of the other thread, at every level
// of optimisation: [intro.races], two threads, one write, no order. gcc left such a read out when
// it moved computations closer to their use. With a join before the read there is no race.
//
// case: optional_2
// flags: -DOPTIONAL -O2
// expect: all=data-race
//
// case: variant_2
// flags: -DVARIANT -O2
// expect: all=data-race
//
// case: any_2
// flags: -DANY -O2
// expect: all=data-race
//
// case: any_3
// flags: -DANY -O3
// expect: all=data-race
//
// case: plain_2
// flags: -DPLAIN -O2
// expect: all=data-race
//
// case: plain_2_clang
// flags: -DPLAIN -O2
// options: --cc clang-14
// expect: all=data-race
//
// case: joined_2
// flags: -DOPTIONAL -DJOINED -O2
// expect: all=holds executions=1

#include <thread>

#if defined OPTIONAL
#include <optional>
std::optional<int> object;
bool look() { return object.has_value(); }
#elif defined VARIANT
#include <variant>
std::variant<double, int> object;
bool look() { return std::holds_alternative<double>(object); }
#elif defined ANY
#include <any>
std::any object;
bool look() { return object.has_value(); }
#elif defined PLAIN
bool object;
bool look() { return object; }
#endif

int main() {
  std::thread writer([] { object = 2; });
#ifdef JOINED
  writer.join();
  return look() > 2;
#else
  bool seen = look();
  writer.join();
  return seen > 2;
#endif
}
