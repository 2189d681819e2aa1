// SPDX-License-Identifier: MIT
//
// wait(predicate) returns once the predicate is true, though it may become true between the look
// and the sleep, and with what was written before. Spinning is off.
//
// options:
// options: --spurious
// case: many -DKIND=many_producers
// case: one -DKIND=one_producer
// case: two -DKIND=two_words

#include <atomic>
#include <cassert>
#include <cstdint>
#include <thread>

#include "fencepost/event_count.hpp"

constexpr fencepost::event_count_tuning tuning{.spin_rounds = 0, .catch_misuse = false};
fencepost::basic_event_count<fencepost::event_count_kind::KIND, std::uint32_t,
                             fencepost::futex::scope::process, tuning>
    count;
std::atomic<int> goods;

int main() {
  count.increment();  // the first asks whether there is a barrier; this proof is about the others
  std::thread waiter([] {
    count.wait([] { return goods.load(std::memory_order_relaxed) == 2; });
    count.wait_until(std::chrono::steady_clock::time_point::max(), [] { return true; });
  });
  goods.store(1, std::memory_order_relaxed);
  count.increment();
  goods.store(2, std::memory_order_relaxed);
  count.increment();
  waiter.join();
}
