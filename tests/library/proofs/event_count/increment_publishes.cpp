// SPDX-License-Identifier: MIT
//
// What was written before an increment is seen by whoever sees its version: after wait(), after
// value(), and by the version that add() returns no earlier. Spinning is off.
//
// options:
// case: many -DKIND=many_producers
// case: many64 -DKIND=many_producers -DVERSION=uint64_t
// case: many_interprocess -DKIND=many_producers -DSCOPE=shared
// case: one -DKIND=one_producer
// case: one64 -DKIND=one_producer -DVERSION=uint64_t
// case: one_interprocess -DKIND=one_producer -DSCOPE=shared
// case: two -DKIND=two_words
// case: two64 -DKIND=two_words -DVERSION=uint64_t
// case: two_interprocess -DKIND=two_words -DSCOPE=shared

#include <cassert>
#include <cstdint>
#include <thread>

#include "fencepost/event_count.hpp"

#ifndef VERSION
#define VERSION uint32_t
#endif
#ifndef SCOPE
#define SCOPE process
#endif

constexpr fencepost::event_count_tuning tuning{.spin_rounds = 0, .catch_misuse = false};
fencepost::basic_event_count<fencepost::event_count_kind::KIND, std::VERSION,
                             fencepost::futex::scope::SCOPE, tuning>
    count;
int first;
int second;

int main() {
  std::thread waiter([] {
    count.wait(0);
    assert(first == 1);
  });
  std::thread reader([] {
    const auto seen = count.value();
    if (seen >= 1) assert(first == 1);
    if (seen == 3) assert(second == 1);
  });
  first = 1;
  count.increment();
  second = 1;
  const auto before = count.add(2);
  assert(before == 1);
  waiter.join();
  reader.join();
}
