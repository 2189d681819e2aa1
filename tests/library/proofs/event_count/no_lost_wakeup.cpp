// SPDX-License-Identifier: MIT
//
// A thread that waits for the next version, and then for the one after it, is woken by the
// increments that make them, whatever it was doing when they came. Spinning is off.
//
// options:
// options: --spurious
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

int main() {
  std::thread waiter([] {
    const auto seen = count.wait(0);
    assert(seen == 1 || seen == 2);
    const auto last = seen == 1 ? count.wait(1) : seen;
    assert(last == 2);
  });
  count.increment();
  count.increment();
  waiter.join();
}
