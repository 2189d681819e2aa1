// SPDX-License-Identifier: MIT
//
// What does one atomic operation cost on a line that this processor owns, by order and by what the
// compiler may use?
//
// One operation in a loop, as on 26 August 2020 in MySQL bug 100132: that a failing
// compare-exchange is cheaper than a succeeding one, a store than an exchange, and what
// -march=native changes. The variant's last word says how the loop was compiled; the context's
// lines "flags …" say with which flags. `nothing` is the loop alone. A compare-exchange that should
// fail and does not, or the other way round, and any other operation whose effect is missing
// afterwards, is an error.
//
// Figures: cpu_time for one turn of the loop; reference_cycles, the same in ticks of the
// time-stamp counter, which goes at one speed whatever the processor's clock does: not the cycles
// of anybody's table. cycles, where the kernel lets processes count them, are.
#include <string>

#include "flag_sets/operation_loops.hpp"
#include "resources.hpp"
#include "single_operations_flag_sets.hpp"
#include "subject.hpp"

#define FENCEPOST_DECLARE(name, flags) extern const bench::operation_loops operations_##name;
BENCH_FLAG_SETS(FENCEPOST_DECLARE)
#undef FENCEPOST_DECLARE

namespace {

void repeat(benchmark::State& state, const bench::operation_loop& operation) {
  constexpr std::uint32_t batch = 1000;
  struct alignas(64) {
    bench::loop_word word{0};
  } line;
  const bench::event_counter cycles(PERF_COUNT_HW_CPU_CYCLES);
  while (state.KeepRunningBatch(batch)) {
    line.word.store(0, std::memory_order_relaxed);
    operation.run(line.word, batch);
    if (line.word.load(std::memory_order_relaxed) != (operation.counts ? batch : 0)) [[unlikely]]
      return bench::wrong(state, "the word does not hold what the operations leave in it");
  }
  if (cycles.available())
    state.counters["cycles"] = cycles.value() / static_cast<double>(state.iterations());
}

}  // namespace

void bench::register_benchmarks() {
  const auto all = [](const operation_loops& compiled, const char* flags) {
    benchmark::AddCustomContext(std::string("flags ") + compiled.flags, flags);
    for (const auto* one = compiled.loops; one->name != nullptr; ++one)
      register_loop(std::string("one_operation/") + one->name + "_" + compiled.flags,
                    [one](benchmark::State& state) { repeat(state, *one); });
  };
#define FENCEPOST_REGISTER(name, flags) all(operations_##name, flags);
  BENCH_FLAG_SETS(FENCEPOST_REGISTER)
#undef FENCEPOST_REGISTER
}
