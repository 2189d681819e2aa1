// SPDX-License-Identifier: MIT
//
// As no_lost_wakeup, in a process in which the kernel has no barrier to offer: both sides of two
// words are full fences. Spinning is off.
//
// options: --no-membarrier
// options: --no-membarrier --spurious
// case: two -DKIND=two_words
// case: two64 -DKIND=two_words -DVERSION=uint64_t

#include <cassert>
#include <cstdint>
#include <thread>

#include "fencepost/event_count.hpp"

#ifndef VERSION
#define VERSION uint32_t
#endif

constexpr fencepost::event_count_tuning tuning{.spin_rounds = 0, .catch_misuse = false};
fencepost::basic_event_count<fencepost::event_count_kind::KIND, std::VERSION,
                             fencepost::futex::scope::process, tuning>
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
