// SPDX-License-Identifier: MIT
//
// What anybody can find out about a clock that runs: that it cannot be written to, that its times
// advance and are never in the future, that waiting for it ends, and how soon; and that it does
// what it is for. For the latter it plays store buffering: a thread stores and looks at once, its
// twin stores, waits for the clock, and looks. Both must not see nothing.
#include "self_test.hpp"

#include <sched.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <vector>

#include "fencepost/interrupt_clock.hpp"
#include "folder.hpp"
#include "store_buffering.hpp"

namespace barrierd {
namespace {

using fencepost::interrupt_clock;
using fencepost::interrupt_clock_trouble;

int failures = 0;

void report(bool good, const char* what, const char* detail = "") {
  std::printf("%s  %s%s%s\n", good ? "ok  " : "FAIL", what, *detail == '\0' ? "" : ": ", detail);
  std::fflush(stdout);
  if (!good) ++failures;
}

void doze() {
  const timespec pause{0, 50'000};
  ::nanosleep(&pause, nullptr);
}

/// Has the clock pass now; false: not within a second.
bool wait(const interrupt_clock& clock) {
  const std::uint64_t since = interrupt_clock::now();
  while (!clock.all_passed(since, ::sched_getcpu(), nullptr)) {
    if (interrupt_clock::now() - since > 1'000'000'000) return false;
    doze();
  }
  return true;
}

void try_to_write(const interrupt_clock& clock) {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  auto* const memory = const_cast<interrupt_clock*>(&clock);
  const bool refused = ::mprotect(memory, page, PROT_READ | PROT_WRITE) != 0 && errno == EACCES;
  report(refused, "the clock's memory cannot be made writable");
}

void watch_times(const interrupt_clock& clock, double seconds) {
  const std::uint64_t start = interrupt_clock::now();
  const auto end = start + static_cast<std::uint64_t>(seconds * 1e9);
  std::uint64_t looks = 0;
  std::uint64_t future = 0;
  while (interrupt_clock::now() < end) {
    for (std::uint32_t cpu = 0; cpu < clock.slots_count(); ++cpu) {
      const std::uint64_t stamp = clock.stamp(cpu);
      if (stamp > interrupt_clock::now() + interrupt_clock::slack) ++future;
      ++looks;
    }
    doze();
  }
  char text[80];
  std::snprintf(text, sizeof text, "%llu times", static_cast<unsigned long long>(looks));
  report(future == 0, "no time is in the future", text);
}

void time_tickets(const interrupt_clock& clock, double seconds) {
  std::vector<std::uint64_t> taken;
  const std::uint64_t start = interrupt_clock::now();
  const auto end = start + static_cast<std::uint64_t>(seconds * 1e9);
  bool ended = true;
  while (ended && interrupt_clock::now() < end) {
    // Right behind a tick is the worst moment to begin, and that is where the last one ended. So
    // each begins at another fraction of the time that no tick of the kernel's is longer than.
    const double fraction = static_cast<double>(taken.size()) * 0.6180339887;
    const timespec pause{0, static_cast<long>((fraction - std::floor(fraction)) * 10e6)};
    ::nanosleep(&pause, nullptr);
    const std::uint64_t since = interrupt_clock::now();
    ended = wait(clock);
    taken.push_back(interrupt_clock::now() - since);
  }
  std::sort(taken.begin(), taken.end());
  char text[160];
  std::snprintf(text, sizeof text,
                "%zu times, median %.2f ms, 99 %% within %.2f ms, longest %.2f ms", taken.size(),
                static_cast<double>(taken[taken.size() / 2]) / 1e6,
                static_cast<double>(taken[taken.size() * 99 / 100]) / 1e6,
                static_cast<double>(taken.back()) / 1e6);
  report(ended, "every processor passes within a second", text);
}

/// Stores and looks at once, opposite one who waits for the clock in between; first without.
void play_store_buffering(const interrupt_clock& clock, double seconds) {
  const auto for_seconds = [](double most) {
    const auto end = interrupt_clock::now() + static_cast<std::uint64_t>(most * 1e9);
    return [end] { return interrupt_clock::now() < end; };
  };
  store_buffering unfenced;
  unfenced.play(for_seconds(seconds / 4), [] { return true; });
  store_buffering waiting;
  const bool ended = waiting.play(for_seconds(seconds * 3 / 4), [&] { return wait(clock); });
  char text[160];
  std::snprintf(text, sizeof text,
                "%llu rounds, %llu violations (without waiting: %llu rounds, %llu violations)",
                static_cast<unsigned long long>(waiting.rounds),
                static_cast<unsigned long long>(waiting.violations),
                static_cast<unsigned long long>(unfenced.rounds),
                static_cast<unsigned long long>(unfenced.violations));
  report(ended && waiting.violations == 0,
         "a store is seen by those who look after it was waited for", text);
}

}  // namespace

int self_test(const arguments& chosen) {
  const folder at(chosen.directory, false, false);
  auto trouble = interrupt_clock_trouble::none;
  const interrupt_clock* const clock = interrupt_clock::open(at.clock().c_str(), trouble);
  report(clock != nullptr, "the clock can be mapped and believed",
         clock == nullptr ? to_string(trouble) : at.clock().c_str());
  if (clock == nullptr) return 1;
  const bool alive = clock->alive(interrupt_clock::now());
  report(alive, "the clock is alive", alive ? "" : to_string(interrupt_clock_trouble::dead));
  try_to_write(*clock);
  if (!alive) return 1;
  watch_times(*clock, chosen.seconds / 4);
  time_tickets(*clock, chosen.seconds / 4);
  play_store_buffering(*clock, chosen.seconds / 2);
  return failures == 0 ? 0 : 1;
}

}  // namespace barrierd
