// SPDX-License-Identifier: MIT
//
// What does the ordering of an event mutex cost, while 1 to 64 threads do nothing but enter and
// leave four of them?
//
// The benchmark of 26 August 2020 in MySQL bug 100132: threads in tight loops, four mutexes, the
// protocols of the argument. Which thread takes which mutex it does not say; here thread n takes
// all four in turns, beginning with number n mod 4, and in each adds one to a counter. Spinning and
// sleeping are InnoDB's by its own defaults. Each protocol is the header that the checker proves or
// refutes, in the mutex that ships.
//
// Those that lose wake-ups, by the C++20 model, are measured too and named so. A lost wake-up heals
// when somebody else leaves the same mutex; when nobody is left who could, a watchdog wakes the
// sleepers and the window goes on. In a protocol that loses none this is an error.
//
// Counters besides those of resources.hpp, for one window:
//   sections_per_second   by all threads
//   sleeps                times that a thread went to sleep
//   lost_wake_ups         times that all threads slept for good
#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "event_mutex/watchdog.hpp"
#include "event_mutex_protocols.hpp"
#include "fencepost/event_mutex.hpp"
#include "resources.hpp"
#include "subject.hpp"
#include "threads.hpp"

namespace {

namespace study = fencepost::study;

constexpr int thread_counts[] = {1, 2, 4, 8, 16, 32, 64};
constexpr std::size_t mutexes = 4;

/// Where the checker finds a lost wake-up, or an order that C++20 forbids; a test compares the list
/// with its verdicts.
constexpr std::string_view unsound[] = {
    "trunk",
    "first_patch",
    "first_patch_valid",
    "fence_removed",
    "lock_word_exchange",
    "solution_1_acquire_try",
    "proposal_1",
    "proposal_1_late_announce",
    "proposal_2",
    "proposal_2_late_announce",
    "buggy_proposal_3",
    "proposal_3_as_written",
    "proposal_3",
    "proposal_3b",
    "patch_22_july",
    "asymmetric_without_heavy",
};

bool is_sound(std::string_view protocol) {
  return std::find(std::begin(unsound), std::end(unsound), protocol) == std::end(unsound);
}

template <class Protocol>
struct guarded {
  alignas(64) fencepost::event_mutex<Protocol, fencepost::event_mutex_tuning{.catch_misuse = false},
                                     study::watched_sleep> mutex;
  alignas(64) std::uint64_t sections = 0;
};

/// Where a sandbox forbids what it rests on, this protocol's threads look up by themselves.
template <class Protocol>
bool sleeps_for_good() {
  if constexpr (requires { Protocol::may_sleep_long(); }) return Protocol::may_sleep_long();
  return true;
}

template <class Protocol>
double enter_and_leave(benchmark::State& state, int threads, bool sound) {
  const auto count = static_cast<std::size_t>(threads);
  const auto all = std::make_unique<guarded<Protocol>[]>(mutexes);
  std::vector<study::sleeper> sleepers(count);
  std::vector<std::uint64_t> sections(count);
  std::atomic<std::size_t> finished{0};
  std::uint64_t lost = 0;

  const bench::resources used;
  std::thread watchdog([&] {
    while (finished.load() != count) {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      const auto on = study::stuck(sleepers, [&] { return finished.load(); });
      if (!on.empty()) ++lost;
      for (const auto* word : on) study::set(*word);
    }
  });
  const double elapsed =
      bench::run_threads(threads, bench::window_length(), [&](int n, const bench::stop_word& stop) {
        const auto number = static_cast<std::size_t>(n);
        study::self = &sleepers[number];
        std::uint64_t done = 0;
        while (stop.load(std::memory_order_relaxed) == 0) {
          for (std::size_t next = 0; next != mutexes; ++next) {
            auto& one = all[(number + next) % mutexes];
            one.mutex.lock();
            ++one.sections;
            one.mutex.unlock();
          }
          done += mutexes;
        }
        sections[number] = done;
        finished.fetch_add(1);
      });
  watchdog.join();
  const double together = used.report(state, sections);
  std::uint64_t counted = 0;
  for (std::size_t n = 0; n != mutexes; ++n) counted += all[n].sections;
  std::uint64_t sleeps = 0;
  for (const auto& one : sleepers) sleeps += one.sleeps.load();
  // For the runner: what others do elsewhere does not matter.
  if (threads == 1) state.counters["first_processor_only"] = 1;
  state.counters["sections_per_second"] = together / elapsed;
  state.counters["sleeps"] = static_cast<double>(sleeps);
  state.counters["lost_wake_ups"] = static_cast<double>(lost);
  if (static_cast<double>(counted) != together)
    bench::wrong(state, "the counters that the mutexes guard are not the number of sections");
  if (lost != 0 && sound && sleeps_for_good<Protocol>())
    bench::wrong(state, "a protocol that loses no wake-up has lost one");
  return elapsed;
}

template <class Protocol>
void contend(const std::string& protocol) {
  const bool sound = is_sound(protocol);
  for (const int threads : thread_counts)
    bench::register_window("four_mutexes/threads:" + std::to_string(threads) + "/" + protocol +
                               (sound ? "" : "_unsound"),
                           [threads, sound](benchmark::State& state) {
                             return enter_and_leave<Protocol>(state, threads, sound);
                           });
}

}  // namespace

void bench::register_benchmarks() {
#define FENCEPOST_CONTEND(id, type) contend<type>(id);
  FENCEPOST_EVENT_MUTEX_PROTOCOLS(FENCEPOST_CONTEND)
#undef FENCEPOST_CONTEND
}
