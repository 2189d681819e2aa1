// SPDX-License-Identifier: MIT
// A loop that looks at a clock in each round waits with a time limit. With --timeouts it passes.
// Without, it passes only by what the thread sleeps, if its rounds are not found to be alike: that
// depends on where the compiler keeps the time.
//
// case: sleeps
// flags: -DSLEEPS
// expect: all=violated:non-termination|holds
//
// case: sleeps_and_it_passes
// flags: -DSLEEPS
// options: --timeouts
// expect: all=holds
//
// case: looks
// expect: all=violated:non-termination says="its time limit is not counted on"
//
// case: looks_and_it_passes
// options: --timeouts
// expect: all=holds
//
// case: too_late
// flags: -DSLEEPS -DSTORE
// options: --timeouts
// expect: all=violated:assertion
//
// case: a_look_before_the_loop
// flags: -DBEFORE
// options: --timeouts
// expect: all=violated:non-termination
//
// case: the_first_look_is_in_the_loop
// flags: -DFIRST
// options: --timeouts
// expect: all=inconclusive
//
// case: the_first_look_may_be_in_the_loop
// flags: -DFIRST -DMAY_STORE
// options: --timeouts
// expect: all=inconclusive
#include <atomic>
#include <cassert>
#include <chrono>
#include <thread>

static std::atomic<int> x{0}, y{0};
static bool gave_up = false;

static void wait_for_it() {
  using std::chrono::milliseconds;
  using std::chrono::steady_clock;
#ifdef FIRST
  const steady_clock::time_point end{std::chrono::hours(1'000'000)};
#else
  const auto end = steady_clock::now() + milliseconds(10);
#endif
#ifdef BEFORE
  gave_up = steady_clock::now() > end;
#endif
  while (x.load() == 0) {
#ifdef SLEEPS
    std::this_thread::sleep_for(milliseconds(1));
#endif
#ifndef BEFORE
    if (steady_clock::now() > end) {
      gave_up = true;
      break;
    }
#endif
  }
}

int main() {
  std::thread other(wait_for_it);
#ifdef MAY_STORE
  std::thread third([] { y.store(1); });
  if (y.load() != 0) x.store(1);
  third.join();
#endif
#ifdef STORE
  x.store(1);
  other.join();
  assert(!gave_up);
#else
  other.join();
#endif
}
