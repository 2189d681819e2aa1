// SPDX-License-Identifier: MIT
// A program on Google Benchmark, as anybody has one.
#include <benchmark/benchmark.h>

#include <atomic>

static void increment(benchmark::State& state) {
  std::atomic<int> value{0};
  for (auto _ : state) value.fetch_add(1, std::memory_order_relaxed);
}
BENCHMARK(increment);
BENCHMARK_MAIN();
