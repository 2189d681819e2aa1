// SPDX-License-Identifier: MIT
//
// What do lock and unlock cost when nobody else wants the lock?
#include "locks.hpp"
#include "subject.hpp"

namespace {

constexpr std::int64_t batch = 1000;

struct register_lock {
  template <class Contestant>
  void operator()(const char* name) const {
    bench::register_loop(std::string("lock_and_unlock/") + name, [](benchmark::State& state) {
      // On the heap, so that every lock stands on a cache line of some page and none on the stack.
      const auto contestant = std::make_unique<Contestant>();
      while (state.KeepRunningBatch(batch)) contestant->pairs(batch);
    });
  }
};

}  // namespace

void bench::register_benchmarks() {
  register_lock{}.operator()<section<no_lock>>("empty_loop");
  for_each_lock(register_lock{});
}
