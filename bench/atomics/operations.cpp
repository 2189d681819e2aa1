// SPDX-License-Identifier: MIT
//
// What does one call of a function of the library cost while nobody else wants the object?
//
// The libraries are called in short turns, in one order and then in the other, so that whatever
// slows the processor down slows all of them. A turn is timed by the CPU clock of its thread, which
// does not count what preempts it. Another thread sleeps meanwhile: the C library would give a
// program with one thread cheaper locks than users have. The figure for each library is the median
// of its turns: nanoseconds, a call and the loop around it.
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <thread>
#include <vector>

#include "arguments.hpp"
#include "calls.hpp"
#include "figures.hpp"
#include "library.hpp"
#include "processors.hpp"

namespace {

constexpr double turn = 0.001;  ///< seconds

double clock_seconds(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

double cpu_clock() { return clock_seconds(CLOCK_THREAD_CPUTIME_ID); }

/// One library's share.
struct contestant {
  bench::repeated run;
  unsigned long times = 1;  ///< calls a turn
  std::vector<double> turns{};

  void take_turn() {
    const double before = cpu_clock();
    run(times);
    turns.push_back((cpu_clock() - before) / static_cast<double>(times));
  }
  void find_length_of_turn() {
    double took = 0;
    for (;; times *= 4) {
      const double before = cpu_clock();
      run(times);
      took = cpu_clock() - before;
      if (took > turn / 4) break;
    }
    times = std::max(1ul, static_cast<unsigned long>(static_cast<double>(times) * turn / took));
  }
  double median() {
    const auto middle = turns.begin() + static_cast<std::ptrdiff_t>(turns.size() / 2);
    std::nth_element(turns.begin(), middle, turns.end());
    return *middle;
  }
};

void list(const std::vector<bench::call>& calls) {
  for (const bench::call& one : calls) std::printf("%s\n", one.name.c_str());
}

}  // namespace

int main(int argc, char** argv) {
  const bench::arguments given = bench::parse(
      argc, argv,
      {"operations", 'w', "-w CALL", "NAME=LIBRARY...",
       "  -w CALL     what is called, on how many bytes, in which order; `list` lists them\n"
       "The libraries take short turns, in which nobody else wants the object.\n"});
  const auto calls = bench::all_calls();
  if (given.choice == "list") {
    list(calls);
    return 0;
  }
  const auto chosen = std::find_if(
      calls.begin(), calls.end(), [&](const bench::call& one) { return one.name == given.choice; });
  if (chosen == calls.end()) {
    bench::refuse("-w '" + given.choice + "': no such call; -w list lists them");
  }
  if (given.threads != 1 || given.descheduled != 0) {
    bench::refuse("-t and -f: there is one thread here, and nobody waits for it; see contended");
  }
  if (given.rest.empty()) bench::refuse("which library? NAME=/path/to/libatomic.so.1");
  std::thread([] {
    for (;;) pause();
  }).detach();
  bench::pin(bench::processors() - 1);  // the last: interrupts prefer the first
  const std::vector<bench::library> libraries(given.rest.begin(), given.rest.end());
  std::vector<contestant> contestants;
  for (const auto& one : libraries) contestants.push_back({chosen->of(one)});
  for (auto& one : contestants) one.find_length_of_turn();

  const double cpu_before = cpu_clock();
  const double before = clock_seconds(CLOCK_MONOTONIC);
  double used = 0;
  while (used < given.seconds) {
    for (auto& one : contestants) one.take_turn();
    for (auto one = contestants.rbegin(); one != contestants.rend(); ++one) one->take_turn();
    used = cpu_clock() - cpu_before;
  }
  const double real = clock_seconds(CLOCK_MONOTONIC) - before;
  std::vector<std::pair<std::string, bench::figures>> all;
  for (std::size_t n = 0; n != libraries.size(); ++n) {
    // What the runner judges by whether this processor was taken away.
    all.push_back({libraries[n].name(),
                   {{"nanoseconds", contestants[n].median() * 1e9},
                    {"one_thread", 1},
                    {"cpu_time", used},
                    {"real_time", real}}});
  }
  bench::write_figures("operations", given, given.log.empty() ? "-" : given.log, all);
}
