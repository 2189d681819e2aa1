// SPDX-License-Identifier: MIT
//
// Where there is no barrier to rely on, a waiter whose flag was overwritten or overlooked finds the
// new version when its nap is over. Without --timeouts, naps being endless, this is not so.
//
// options: --timeouts
// variant: one -DKIND=one_producer
// variant: two -DKIND=two_words

#include <cassert>
#include <cstdint>
#include <thread>

#include "fencepost/event_count.hpp"

constexpr fencepost::event_count_tuning tuning{
    .spin_rounds = 0, .heavy_barrier = false, .catch_misuse = false};
fencepost::basic_event_count<fencepost::event_count_kind::KIND, std::uint32_t,
                             fencepost::futex::scope::process, tuning>
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
