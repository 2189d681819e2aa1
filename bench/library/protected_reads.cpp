// SPDX-License-Identifier: MIT
//
// What does it cost to protect what a pointer points to while it is read?
//
// One thread loads a pointer and a number behind it, again and again, each time protected anew: a
// region is entered and left, a hazard pointer set and cleared. What the thread has once, its
// record or its slot, it has before. plain_load has no protection: what the others take longer is
// its cost.
#include <memory>
#include <string>

#include "reclamation.hpp"
#include "subject.hpp"

namespace {

// Some peers make a thread known to them, and forget it, once each batch.
constexpr std::int64_t batch = 100'000;

template <class Box>
void contend(const char* name) {
  bench::register_loop(std::string("read/") + name, [](benchmark::State& state) {
    const auto box = std::make_unique<Box>();
    while (state.KeepRunningBatch(batch)) box->reads(batch);
  });
}

}  // namespace

void bench::register_benchmarks() {
  contend<unprotected_box>("plain_load");
  for_each_scheme([]<class Box>(const char* name) { contend<Box>(name); });
}
