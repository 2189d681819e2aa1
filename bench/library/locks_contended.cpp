// SPDX-License-Identifier: MIT
//
// How much work gets done, and how evenly is it shared, when 2, 8 or 32 threads fight for a short
// section?
//
// Thread n runs on processor n, counted round and round. All start together; after the window they
// are told to stop. Counters besides those of resources.hpp, for one window:
//   sections_per_second   by all threads
//
// nothing_shared is no lock: every thread has counters of its own. It says how evenly the scheduler
// shares two processors in a window of this length: no lock can be fairer than that.
#include <vector>

#include "locks.hpp"
#include "resources.hpp"
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
  const bench::resources used;
  const double elapsed =
      bench::run_threads(threads, bench::window_length(), [&](int n, const bench::stop_word& stop) {
        sections[static_cast<std::size_t>(n)] =
            contestant->fight(stop, static_cast<std::uint64_t>(n) + 1);
      });
  state.counters["sections_per_second"] = used.report(state, sections) / elapsed;
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
