// SPDX-License-Identifier: MIT
//
// A timed wait that says that the version has changed has seen what came before the change; one
// that runs out of time leaves nothing behind that keeps another from being woken, or itself the
// next time. Spinning is off.
//
// options:
// options: --timeouts
// options: --timeouts --spurious
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
#include <chrono>
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
int data;

int main() {
  count.increment();  // the first asks whether there is a barrier; this proof is about the others
  using namespace std::chrono_literals;
  std::thread timed([] {
    if (count.wait_for(1, 1s)) {
      assert(data == 1);
    } else {
      count.wait(1);
      assert(data == 1);
    }
  });
  std::thread untimed([] { count.wait(1); });
  data = 1;
  count.increment();
  timed.join();
  untimed.join();
}
