// SPDX-License-Identifier: MIT
//
// A flag that is raised while the producer lowers the one before it is not lost: one thread waits
// for the first version and another for the second, which may come while the producer still wakes
// the first. Spinning is off.
//
// options:
// case: many -DKIND=many_producers
// case: one -DKIND=one_producer
// case: two -DKIND=two_words

#include <cstdint>
#include <thread>

#include "fencepost/event_count.hpp"

constexpr fencepost::event_count_tuning tuning{.spin_rounds = 0, .catch_misuse = false};
fencepost::basic_event_count<fencepost::event_count_kind::KIND, std::uint32_t,
                             fencepost::futex::scope::process, tuning>
    count;

int main() {
  count.increment();  // the first asks whether there is a barrier; this proof is about the others
  std::thread early([] { count.wait(1); });
  std::thread late([] {
    if (count.value() == 2) count.wait(2);
  });
  count.increment();
  count.increment();
  early.join();
  late.join();
}
