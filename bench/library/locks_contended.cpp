// SPDX-License-Identifier: MIT
//
// How much work gets done, and how evenly is it shared, when 2, 8 or 32 threads fight for a short
// section?
//
// Thread n runs on processor n, counted round and round. All start together; after the window they
// are told to stop. Counters, for one window:
//   sections_per_second   by all threads
//   slowest, fastest      sections of the thread that got the fewest, the most
//   fairness              slowest / fastest
//   cpu_seconds           used by the threads
//
// nothing_shared is no lock: every thread has counters of its own. It says how evenly the scheduler
// shares two processors in a window of this length: no lock can be fairer than that.
#include <algorithm>
#include <vector>

#include "locks.hpp"
#include "subject.hpp"
#include "threads.hpp"

namespace {

constexpr int thread_counts[] = {2, 8, 32};

class nothing_shared {
 public:
  std::uint64_t fight(const std::atomic<std::uint32_t>& stop, std::uint64_t seed) {
    return bench::section<bench::no_lock>{}.fight(stop, seed);
  }
};

template <class Contestant>
double fight(benchmark::State& state, int threads) {
  const auto contestant = std::make_unique<Contestant>();
  std::vector<std::uint64_t> sections(static_cast<std::size_t>(threads));
  const double cpu_before = bench::process_cpu_seconds();
  const double elapsed =
      bench::run_threads(threads, bench::window_length(), [&](int n, const bench::stop_word& stop) {
        sections[static_cast<std::size_t>(n)] =
            contestant->fight(stop, static_cast<std::uint64_t>(n) + 1);
      });
  const double cpu = bench::process_cpu_seconds() - cpu_before;

  double all = 0;
  for (const auto count : sections) all += static_cast<double>(count);
  const auto [slowest, fastest] = std::minmax_element(sections.begin(), sections.end());
  state.counters["sections_per_second"] = all / elapsed;
  state.counters["slowest"] = static_cast<double>(*slowest);
  state.counters["fastest"] = static_cast<double>(*fastest);
  state.counters["fairness"] =
      *fastest != 0 ? static_cast<double>(*slowest) / static_cast<double>(*fastest) : 0.0;
  state.counters["cpu_seconds"] = cpu;
  return elapsed;
}

}  // namespace

void bench::register_benchmarks() {
  for (const int threads : thread_counts) {
    const auto contend = [threads]<class Contestant>(const char* name) {
      register_window(
          "short_section/threads:" + std::to_string(threads) + "/" + name,
          [threads](benchmark::State& state) { return fight<Contestant>(state, threads); });
    };
    for_each_lock(contend);
    contend.operator()<nothing_shared>("nothing_shared");
  }
}
