// SPDX-License-Identifier: MIT
//
// Two producers that both find the flag up both lower it, and a thread that waits for the second
// version is not forgotten when the second lowering hits the flag that it has raised since the
// first. Spinning is off.
//
// options:
// options: --spurious
// case: many -DKIND=many_producers
// case: many64 -DKIND=many_producers -DVERSION=uint64_t
// case: many_interprocess -DKIND=many_producers -DSCOPE=shared

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
int from_one;
int from_other;

int main() {
  std::thread waiter([] {
    auto seen = count.wait(0);
    if (seen == 1) seen = count.wait(1);
    assert(seen == 2 && from_one + from_other == 2);
  });
  std::thread one([] {
    from_one = 1;
    count.increment();
  });
  from_other = 1;
  count.increment();
  one.join();
  waiter.join();
}
