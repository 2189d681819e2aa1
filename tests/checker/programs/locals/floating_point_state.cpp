// SPDX-License-Identifier: MIT
// How numbers are rounded, and what becomes of the smallest, is a thread's own, and may be what a
// round changes. clang's functions for it are refused.
//
// case: changed_in_a_round
// flags: -DIN_ROUND
// expect: all=violated:assertion|refused
//
// case: another_threads
// expect: all=holds|refused
//
// case: of_who_starts_it
// flags: -DFIRST
// expect: all=violated:assertion|refused
// case: of_who_starts_it_in_later_executions
// flags: -DLATER
// expect: all=violated:assertion|refused
//
// case: of_who_starts_it_as_it_is_then
// flags: -DLATER -DBETWEEN
// expect: all=violated:assertion|refused
//
// case: of_who_starts_it_and_no_other
// flags: -DLATER -DBETWEEN -DOTHER
// expect: all=holds|refused
//
// case: of_the_start
// flags: -DSTART -ffast-math
// expect: all=violated:assertion
//
// case: of_the_start_by_the_last_flag
// flags: -DSTART -ffast-math -fno-fast-math
// expect: all=holds
//
// case: of_the_start_with_clang
// flags: -DSTART -ffast-math
// options: --cc clang-14
// expect: all=violated:assertion
//
// case: of_the_start_by_the_level
// options: --cc gcc
// flags: -DSTART -Ofast
// expect: all=violated:assertion
//
// case: of_the_start_less_exact
// options: --cc gcc
// flags: -DEXACT -mpc32
// expect: all=violated:assertion
//
// case: of_the_start_as_exact_as_can_be
// options: --cc gcc
// flags: -DEXACT
// expect: all=holds
//
// case: rounded_by_one_thread
// flags: -DROUNDED
// expect: all=holds executions=2
//
// case: rounded_by_who_starts_it
// flags: -DROUNDED -DBEFORE
// expect: all=violated:assertion at=rounds
#include <atomic>
#include <cassert>
#include <cfenv>
#include <thread>

#if defined __x86_64__
#include <immintrin.h>
__attribute__((noinline)) static void set_mode(bool flush) { _mm_setcsr(flush ? 0x9f80 : 0x1f80); }
#else
static void set_mode(bool flush) { __builtin_aarch64_set_fpcr(flush ? 1U << 24 : 0); }
#endif
static void flush_to_zero() { set_mode(true); }

static std::atomic<int> x{0};
static volatile double tiny = 1e-310;

#ifdef ROUNDED
static volatile double one = 1;
static volatile double three = 3;

int main() {
  const double nearest = one / three;
#ifdef BEFORE
  std::fesetround(FE_UPWARD);
#endif
  std::thread other([&] {
    assert(one / three == nearest);  // @rounds
    x.store(1);
  });
#ifndef BEFORE
  std::fesetround(FE_UPWARD);
#endif
  (void)x.load();
  assert(std::fegetround() == FE_UPWARD && one / three > nearest);
  other.join();
}
#else

int main() {
#if defined IN_ROUND
  std::thread other([] {
    // What the function leaves on the stack is the same from the first round on.
    set_mode(true);
    set_mode(false);
    while (x.load() == 0) set_mode(true);
    assert(tiny * 0.5 != 0);
  });
  x.store(1);
#elif defined EXACT
  std::thread other([] {
    static volatile long double three = 3;
    const volatile long double third = 1 / three;
    assert(third != static_cast<float>(third));
  });
#elif defined START
  std::thread other([] { assert(tiny * 0.5 != 0); });
#elif defined FIRST
  flush_to_zero();
  std::thread other([] { assert(tiny * 0.5 != 0); });
#elif defined LATER
  const auto look = [] {
    x.store(2);
    if (x.load() == 1) assert(tiny * 0.5 != 0);
  };
  const auto write = [] { x.store(1); };
#ifndef BETWEEN
  flush_to_zero();
#endif
#ifdef OTHER
  std::thread first(look);
#else
  std::thread first(write);
#endif
  flush_to_zero();
#ifdef OTHER
  std::thread other(write);
#else
  std::thread other(look);
#endif
  set_mode(false);
  first.join();
#else
  std::thread other([] {
    flush_to_zero();
    x.store(1);
  });
  while (x.load() == 0) {
  }
  assert(tiny * 0.5 != 0);
#endif
  other.join();
}
#endif
