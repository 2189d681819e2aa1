// SPDX-License-Identifier: MIT
// A thread looks at a clock for how long it has waited. Time stands still unless somebody sleeps;
// with --timeouts any deadline may pass.
//
// case: in_time
// expect: all=holds
//
// case: too_late
// options: --timeouts
// expect: all=violated:assertion at=seen
//
// case: too_late_by_gettimeofday
// flags: -DOLD
// options: --timeouts=2
// expect: all=violated:assertion at=seen
//
// case: it_copes
// flags: -DCOPES
// options: --timeouts=2
// expect: all=holds
//
// case: one_deadline_after_another
// flags: -DTWICE
// options: --timeouts
// expect: all=holds
//
// case: both_pass
// flags: -DTWICE
// options: --timeouts=2
// expect: all=violated:assertion at=twice
//
// case: no_clock_goes_back
// flags: -DBACK
// options: --timeouts=2
// expect: all=holds
//
// case: who_only_looks_at_a_clock_waits_for_it
// flags: -DBUSY
// expect: all=holds executions=1
//
// case: a_sleep_is_known_by_who_joins
// flags: -DSLEEPS
// expect: all=holds executions=1
#include <sys/time.h>

#include <atomic>
#include <cassert>
#include <chrono>
#include <thread>

using clock_type = std::chrono::steady_clock;
using namespace std::chrono_literals;

static std::atomic<bool> ready;

static long microseconds() {
  timeval now;
  gettimeofday(&now, nullptr);
  return now.tv_sec * 1000000 + now.tv_usec;
}

// Whether it was ready in time.
static bool wait() {
#ifdef OLD
  const long end = microseconds() + 10000;
  while (!ready.load()) {
    if (microseconds() > end) return false;
  }
#else
  const auto end = clock_type::now() + 10ms;
  while (!ready.load()) {
    if (clock_type::now() > end) return false;
  }
#endif
  return true;
}

int main() {
  (void)microseconds;
#if defined(BACK)
  std::atomic<long> shown{0};
  std::thread other([&] {
    const auto first = clock_type::now();
    const auto second = clock_type::now();
    assert(second >= first);
    shown.store(second.time_since_epoch().count());
  });
  const long there = shown.load();
  assert(clock_type::now().time_since_epoch().count() >= there);
  other.join();
#elif defined(BUSY)
  const auto end = clock_type::now() + 24h;
  while (clock_type::now() < end) {
  }
#elif defined(SLEEPS)
  const auto before = clock_type::now();
  std::thread([] { std::this_thread::sleep_for(3s); }).join();
  assert(clock_type::now() - before >= 3s);
#elif defined(TWICE)
  std::thread other([] {
    const bool first = wait();
    const bool second = first || wait();
    assert(second);  // @twice
  });
  ready.store(true);
  other.join();
#else
  bool seen = false;
  std::thread other([&] { seen = wait(); });
  ready.store(true);
  other.join();
#ifdef COPES
  (void)seen;
#else
  assert(seen);  // @seen
#endif
#endif
}
