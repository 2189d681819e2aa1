// SPDX-License-Identifier: MIT
//
// What anybody can find out about a clock that runs: that it cannot be written to, that its times
// advance and are never in the future, that waiting for it ends, and how soon; and that it does
// what it is for. For the latter it plays store buffering: a thread stores and looks at once, its
// twin stores, waits for the clock, and looks. Both must not see nothing.
#include "inspection/self_test.hpp"

#include <sched.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "failure.hpp"
#include "fencepost/barrier_ticket.hpp"
#include "fencepost/interrupt_clock.hpp"
#include "folder.hpp"
#include "inspection/store_buffering.hpp"

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
  do {
    for (std::uint32_t cpu = 0; cpu < clock.slots_count(); ++cpu) {
      const std::uint64_t stamp = clock.stamp(cpu);
      if (stamp > interrupt_clock::now() + interrupt_clock::slack) ++future;
      ++looks;
    }
    doze();
  } while (interrupt_clock::now() < end);
  char text[80];
  std::snprintf(text, sizeof text, "%llu times", static_cast<unsigned long long>(looks));
  report(future == 0, "no time is in the future", text);
}

/// How long something took, again and again, each time begun at another moment of a tick: right
/// behind one is the worst, and that is where the last wait ended.
class durations {
 public:
  /// Has `wait` called for so many seconds, and once at least, or until it returns false.
  template <class Wait>
  bool take(double seconds, Wait wait) {
    const std::uint64_t start = interrupt_clock::now();
    const auto end = start + static_cast<std::uint64_t>(seconds * 1e9);
    bool ended = true;
    do {
      // At another fraction of the time that no tick of the kernel's is longer than.
      const double fraction = static_cast<double>(taken_.size()) * 0.6180339887;
      const timespec pause{0, static_cast<long>((fraction - std::floor(fraction)) * 10e6)};
      ::nanosleep(&pause, nullptr);
      const std::uint64_t since = interrupt_clock::now();
      ended = wait();
      taken_.push_back(interrupt_clock::now() - since);
    } while (ended && interrupt_clock::now() < end);
    std::sort(taken_.begin(), taken_.end());
    return ended;
  }

  std::string text() const {
    char text[160];
    std::snprintf(text, sizeof text,
                  "%zu times, median %.2f ms, 99 %% within %.2f ms, longest %.2f ms", taken_.size(),
                  milliseconds(taken_.size() / 2), milliseconds(taken_.size() * 99 / 100),
                  milliseconds(taken_.size() - 1));
    return text;
  }

 private:
  double milliseconds(std::size_t rank) const { return static_cast<double>(taken_[rank]) / 1e6; }

  std::vector<std::uint64_t> taken_;
};

void time_clock(const interrupt_clock& clock, double seconds) {
  durations times;
  const bool ended = times.take(seconds, [&] { return wait(clock); });
  report(ended, "every processor passes within a second", times.text().c_str());
}

/// By the clock as the process finds it, so that its daemon wakes.
void time_tickets(const interrupt_clock& clock, double seconds) {
  durations times;
  const interrupt_clock* const its = interrupt_clock::process();
  std::size_t for_nothing = 0;
  const bool ended = times.take(seconds, [&] {
    auto ticket = fencepost::barrier_ticket::begin_by(its != nullptr ? its : &clock);
    for_nothing += ticket.wait() ? 1U : 0U;
    return ticket.ready();
  });
  report(ended, "tickets are over when patience ends",
         (times.text() + ", for nothing " + std::to_string(for_nothing)).c_str());
}

/// Stores and looks at once, opposite one who waits for the clock in between; first without.
void play_store_buffering(const interrupt_clock& clock, double seconds) {
  const auto for_seconds = [](double most) {
    const auto end = interrupt_clock::now() + static_cast<std::uint64_t>(most * 1e9);
    // Once at least.
    return [end, first = true]() mutable {
      return std::exchange(first, false) || interrupt_clock::now() < end;
    };
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
  ::setenv("FENCEPOST_INTERRUPT_CLOCK", at.clock().c_str(), 1);
  report(clock != nullptr, "the clock can be mapped and believed",
         clock == nullptr ? to_string(trouble) : at.clock().c_str());
  if (clock == nullptr) return 1;
  const bool alive = clock->alive(interrupt_clock::now());
  report(alive, "the clock is alive", alive ? "" : to_string(interrupt_clock_trouble::dead));
  try_to_write(*clock);
  if (!alive) return 1;
  watch_times(*clock, chosen.seconds / 4);
  time_clock(*clock, chosen.seconds / 8);
  time_tickets(*clock, chosen.seconds / 8);
  try {
    play_store_buffering(*clock, chosen.seconds / 2);
  } catch (const std::system_error& error) {
    throw failure_of("cannot start a thread", error.code().value());
  }
  return failures == 0 ? 0 : 1;
}

}  // namespace barrierd
