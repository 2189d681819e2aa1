// SPDX-License-Identifier: MIT
//
// Two threads that wait for the same version are both woken: neither may rely on a flag that the
// other has raised and is not sure of. Spinning is off.
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
  count.increment();  // the first asks whether there is a barrier; this proof is about the others
  std::thread one([] { count.wait(1); });
  std::thread other([] { count.wait(1); });
  count.increment();
  one.join();
  other.join();
}
