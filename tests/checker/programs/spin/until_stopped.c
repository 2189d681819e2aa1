// SPDX-License-Identifier: MIT
// A thread in the background writes out what others leave for it, round after round, until it is
// told to stop; so it has any number of rounds. --unroll bounds them: what is wrong is found in the
// first rounds, and that nothing is wrong there is a verdict only with --within-bounds.
//
// case: nothing_wrong_in_the_first_rounds
// options: --unroll 2
// expect: all=inconclusive at=loop says="no violation where no loop turns more than 2 times"
//
// case: within_bounds
// options: --unroll 2 --within-bounds
// expect: all=holds
//
// It looks for work, and then whether it is to stop: what was left in between stays.
// case: work_is_left
// flags: -DLOOKS_FIRST
// options: --unroll 1
// expect: all=violated:assertion at=left
//
// case: work_is_left_within_bounds
// flags: -DLOOKS_FIRST
// options: --unroll 2 --within-bounds
// expect: all=violated:assertion at=left
//
// The worker counts its rounds without order, and main looks before it is over.
// case: a_race_with_a_round
// flags: -DRACES
// options: --unroll 1
// expect: all=data-race
//
// Each round calls a function with a loop of its own.
// case: calls_a_function_with_a_loop
// flags: -DCALLS
// options: --unroll 2
// expect: all=inconclusive at=loop says="no violation where no loop turns more than 2 times"
//
// Who waits is not bounded, nor who counts to a number.
// case: waits_and_counts
// flags: -DWAITS
// options: --unroll 1
// expect: all=holds
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int left, written, rounds;
static atomic_bool stops;

#ifdef CALLS
static atomic_int twice = 2;
__attribute__((noinline)) static void write_out(void) {
  for (int i = 0; i < atomic_load(&twice); ++i) ++rounds;
}
#else
static void write_out(void) {
  pthread_mutex_lock(&mutex);
  written += left;
  left = 0;
  pthread_mutex_unlock(&mutex);
  ++rounds;
}
#endif

static void leave_one(void) {
  pthread_mutex_lock(&mutex);
  ++left;
  pthread_mutex_unlock(&mutex);
}

static void* work_in_background(void* unused) {
#ifdef WAITS
  while (!atomic_load(&stops)) {
  }
#else
  while (!atomic_load(&stops)) {  // @loop
    write_out();
  }
#endif
#ifndef LOOKS_FIRST
  write_out();
#endif
  return unused;
}

int main(void) {
  pthread_t worker;
  pthread_create(&worker, NULL, work_in_background, NULL);
#ifdef WAITS
  for (int i = 0; i < 3; ++i) leave_one();
#else
  leave_one();
#endif
#ifdef RACES
  if (rounds > 1) return 0;
#endif
  atomic_store(&stops, true);
  pthread_join(worker, NULL);
#ifndef CALLS
  assert(left == 0);  // @left
#endif
  return 0;
}
