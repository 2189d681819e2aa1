// SPDX-License-Identifier: MIT
//
// Where there is no barrier to rely on, because the kernel has none or the tuning says not to use
// it, a waiter whose flag was overwritten or overlooked finds the new version when its nap is over.
// Without --timeouts, naps being endless, this is not so. Spinning is off.
//
// options: --timeouts
// options: --timeouts --no-membarrier
// case: one -DKIND=one_producer -DBARRIER=false
// case: two -DKIND=two_words -DBARRIER=false
// case: one_wanting -DKIND=one_producer
// case: one_interprocess -DKIND=one_producer -DSCOPE=shared
// case: two_interprocess -DKIND=two_words -DSCOPE=shared

#include <cassert>
#include <cstdint>
#include <thread>

#include "fencepost/event_count.hpp"

#ifndef BARRIER
#define BARRIER true
#endif
#ifndef SCOPE
#define SCOPE process
#endif

constexpr fencepost::event_count_tuning tuning{
    .spin_rounds = 0, .heavy_barrier = BARRIER, .catch_misuse = false};
fencepost::basic_event_count<fencepost::event_count_kind::KIND, std::uint32_t,
                             fencepost::futex::scope::SCOPE, tuning>
    count;
int data;

int main() {
  std::thread waiter([] {
    count.wait(0);
    assert(data == 1);
  });
  data = 1;
  count.increment();
  waiter.join();
}
