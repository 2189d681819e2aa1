// SPDX-License-Identifier: MIT
// Loops of attempts that begin with a constant, and what stands in them behind a failed attempt: an
// attempt that finds the value of a later one at once need not go where that one goes. One thread
// writes FIRST and then 8, and 8 must not be what the loop takes.
//
// Which way it goes depends on what the attempt expected, too: after 4, 8 is tried.
// case: judged_by_what_was_expected
// flags: -DEXPECTED
// expect: all=violated:assertion at=TAKEN
//
// case: judged_by_what_was_expected_by_way_of_a_flag
// flags: -DEXPECTED -DFLAG
// expect: all=violated:assertion at=TAKEN
//
// case: judged_by_what_was_expected_in_a_switch
// flags: -DSWITCH
// expect: all=violated:assertion at=TAKEN
//
// case: judged_by_another_load
// flags: -DOTHER
// expect: all=violated:assertion at=TAKEN
//
// What a load at the beginning of a round finds has not come past the test.
// case: loaded_anew_while_it_is_odd
// flags: -DFIRST=1 -DANEW
// expect: all=violated:assertion at=TAKEN
//
// case: waits_while_it_is_odd
// flags: -DFIRST=1 -DWAITS
// expect: all=violated:assertion at=TAKEN
//
// A load behind the attempt finds what the attempt did not.
// case: loaded_anew_behind_the_attempt
// flags: -DBEHIND
// expect: all=violated:assertion at=TAKEN
//
// What is found alone decides: 8 is never tried.
// case: judged_by_what_was_found
// flags: -DFOUND
// expect: all=holds
//
// Nothing decides, and 8 is tried.
// case: not_judged
// expect: all=violated:assertion at=TAKEN
//
// Of three that add one, beginning with a constant, the first attempt of each may fail for nothing
// but that; what comes behind it pauses, and longer and longer.
// case: begins_with_a_constant
// flags: -DTHREADS=3
// options: --cc gcc
// expect: c++20=holds executions=6
//
// case: begins_with_a_constant_and_pauses
// flags: -DTHREADS=3 -DPAUSED
// options: --cc gcc
// expect: c++20=holds executions=6
//
// case: begins_with_a_constant_and_gives_up
// flags: -DTHREADS=3 -DGIVES_UP
// options: --cc gcc
// expect: c++20=holds executions=6
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#ifndef FIRST
#define FIRST 4
#endif

static atomic_long x = 2;
static atomic_long other;

#ifdef THREADS

static void* adds(void* nothing) {
  (void)nothing;
  long found = 2;
#ifdef PAUSED
  unsigned pauses = 1;
#endif
  for (;;) {
    if (atomic_compare_exchange_strong(&x, &found, found + 1)) break;
#ifdef PAUSED
    for (unsigned i = 0; i < pauses; ++i) sched_yield();
    if (pauses < 16) pauses *= 2;
#endif
#ifdef GIVES_UP
    if (found > 100) return &x;
#endif
  }
  return 0;
}

int main(void) {
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; ++i) pthread_create(&threads[i], 0, adds, 0);
  for (int i = 0; i < THREADS; ++i) pthread_join(threads[i], 0);
  assert(x == 2 + THREADS);
}

#else

static void* writes(void* nothing) {
  (void)nothing;
  atomic_store(&x, FIRST);
  atomic_store(&x, 8);
  atomic_store(&other, 1);
  return 0;
}

static void* tries(void* nothing) {
  (void)nothing;
  long found = 0;
  for (;;) {
#if defined(ANEW)
    if ((found & 1) != 0) {
      found = atomic_load(&x);
      continue;
    }
#elif defined(WAITS)
    while ((found & 1) != 0) found = atomic_load_explicit(&x, memory_order_relaxed);
#endif
    const long expected = found;
    (void)expected;
#ifdef FLAG
    const _Bool is_first = expected == 0;
#else
#define is_first (expected == 0)
#endif
    if (atomic_compare_exchange_strong(&x, &found, found + 2)) break;
#if defined(EXPECTED)
    if (is_first && found == 8) return 0;
#elif defined(SWITCH)
    switch (found - expected) {
      case 8:
        return 0;
      case 2:
        return &x;
      default:
        break;
    }
#elif defined(OTHER)
    if (found == 8 && atomic_load(&other) == 0) return 0;
#elif defined(BEHIND)
    if (found == 8) return 0;
    found = atomic_load(&x);
#elif defined(ANEW) || defined(WAITS) || defined(FOUND)
    if (found == 8) return 0;
#endif
  }
  assert(found != 8);  // @TAKEN
  return 0;
}

int main(void) {
  pthread_t threads[2];
  pthread_create(&threads[0], 0, writes, 0);
  pthread_create(&threads[1], 0, tries, 0);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], 0);
}

#endif
