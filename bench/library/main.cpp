// SPDX-License-Identifier: MIT
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <utility>

#include "resources.hpp"
#include "subject.hpp"
#include "time_stamp.hpp"

namespace {

std::chrono::duration<double> length{0.1};
std::string current;  // the benchmark that runs
bool all_right = true;

}  // namespace

namespace bench {

void register_loop(const std::string& name, std::function<void(benchmark::State&)> run) {
  benchmark::RegisterBenchmark(name.c_str(), [name, run = std::move(run)](benchmark::State& state) {
    current = name;
    // The last processor: interrupts prefer the first.
    pin(processors() - 1);
    const tick_rate rate;
    run(state);
    // cpu_time in ticks. What is given is divided by the CPU time, and that turned upside down.
    if (const double ticks = rate.now(); ticks > 0 && state.iterations() != 0)
      state.counters["reference_cycles"] =
          benchmark::Counter(static_cast<double>(state.iterations()) / ticks,
                             benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
    // What tells the runner that only this thread's processor mattered.
    state.counters["one_thread"] = 1;
  });
}

void register_window(const std::string& name, std::function<double(benchmark::State&)> window) {
  benchmark::RegisterBenchmark(name.c_str(),
                               [name, window = std::move(window)](benchmark::State& state) {
                                 current = name;
                                 for ([[maybe_unused]] auto _ : state)
                                   state.SetIterationTime(window(state));
                               })
      ->UseManualTime()
      ->Iterations(1);
}

void wrong(benchmark::State& state, const char* what) {
  std::fprintf(stderr, "%s: %s\n", current.c_str(), what);
  state.SkipWithError(what);
  all_right = false;
}

std::chrono::duration<double> window_length() { return length; }

}  // namespace bench

int main(int argc, char** argv) {
  bench::allowed_processors();
  for (int n = 1; n != argc; ++n) {
    constexpr char flag[] = "--benchmark_min_time=";
    if (std::strncmp(argv[n], flag, sizeof flag - 1) == 0)
      length = std::chrono::duration<double>(std::strtod(argv[n] + sizeof flag - 1, nullptr));
  }
  // A program with one thread gets cheaper locks from the C library; ours has two, as those have
  // that need a lock.
  std::thread([] {
    for (;;) pause();
  }).detach();
  benchmark::AddCustomContext("compiler", BENCH_COMPILER);
  benchmark::AddCustomContext("flags", BENCH_FLAGS);
  benchmark::AddCustomContext("pinned", [] {
    bool pinned = false;
    std::thread([&] { pinned = bench::pin(0); }).join();
    return pinned ? "yes" : "no";
  }());
  benchmark::AddCustomContext("perf", bench::perf_available());
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  bench::register_benchmarks();
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return all_right ? 0 : 1;
}
