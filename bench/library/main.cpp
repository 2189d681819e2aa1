// SPDX-License-Identifier: MIT
#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <thread>
#include <utility>
#include <vector>

#include "subject.hpp"

namespace {

std::chrono::duration<double> length{0.1};

std::vector<int> find_processors() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  std::vector<int> found;
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0)
    for (int cpu = 0; cpu != CPU_SETSIZE; ++cpu)
      if (CPU_ISSET(cpu, &allowed)) found.push_back(cpu);
  if (found.empty()) found.push_back(0);
  return found;
}

const std::vector<int>& allowed_processors() {
  // Asked once, before any thread is pinned and inherits less.
  static const std::vector<int> all = find_processors();
  return all;
}

double cpu_seconds(int who) {
  rusage used{};
  getrusage(who, &used);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

}  // namespace

namespace bench {

int processors() { return static_cast<int>(allowed_processors().size()); }

bool pin(int processor) {
  cpu_set_t one;
  CPU_ZERO(&one);
  const auto& all = allowed_processors();
  CPU_SET(all[static_cast<std::size_t>(processor) % all.size()], &one);
  return pthread_setaffinity_np(pthread_self(), sizeof one, &one) == 0;
}

double thread_cpu_seconds() { return cpu_seconds(RUSAGE_THREAD); }
double process_cpu_seconds() { return cpu_seconds(RUSAGE_SELF); }

void register_loop(const std::string& name, std::function<void(benchmark::State&)> run) {
  benchmark::RegisterBenchmark(name.c_str(), [run = std::move(run)](benchmark::State& state) {
    // The last processor: interrupts prefer the first.
    pin(processors() - 1);
    run(state);
    // What tells the runner that only this thread's processor mattered.
    state.counters["one_thread"] = 1;
  });
}

void register_window(const std::string& name, std::function<double(benchmark::State&)> window) {
  benchmark::RegisterBenchmark(name.c_str(),
                               [window = std::move(window)](benchmark::State& state) {
                                 for ([[maybe_unused]] auto _ : state)
                                   state.SetIterationTime(window(state));
                               })
      ->UseManualTime()
      ->Iterations(1);
}

std::chrono::duration<double> window_length() { return length; }

}  // namespace bench

int main(int argc, char** argv) {
  allowed_processors();
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
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  bench::register_benchmarks();
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
