// SPDX-License-Identifier: MIT
// Barriers used as they must not be, and in ways that are just allowed.
//
// case: destroyed_by_who_came_through
// expect: all=holds executions=1
//
// case: destroyed_while_somebody_waits
// flags: -DDESTROY_EARLY
// expect: all=violated:memory|data-race
//
// case: used_after_it_was_destroyed
// flags: -DUSE_AFTER
// expect: all=violated:memory at=use says="which is destroyed"
//
// case: never_initialised
// flags: -DUNINITIALISED
// expect: all=violated:memory at=wait says="nobody has initialised"
//
// case: made_anew_for_other_threads
// flags: -DANEW
// expect: all=holds executions=1
//
// case: passed_by_other_threads_in_each_round
// flags: -DOTHERS
// expect: all=holds executions=1
//
// case: three_threads_at_a_barrier_for_two
// flags: -DCROWD
// expect: all=inconclusive at=wait says="more threads than the barrier counts"
//
// case: local_variable_that_is_gone
// flags: -DGONE
// expect: all=violated at=wait
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

static pthread_barrier_t meeting;

static void* come(void* barrier) {
  pthread_barrier_wait(barrier);  // @wait
  return NULL;
}

static void start_and_join(int threads) {
  pthread_t t[3];
  for (int i = 0; i < threads; i++) pthread_create(&t[i], NULL, come, &meeting);
  for (int i = 0; i < threads; i++) pthread_join(t[i], NULL);
}

int main(void) {
#ifndef UNINITIALISED
  pthread_barrier_init(&meeting, NULL, 2);
#endif
#if defined(ANEW)
  start_and_join(2);
  pthread_barrier_destroy(&meeting);
  pthread_barrier_init(&meeting, NULL, 3);
  start_and_join(3);
#elif defined(OTHERS)
  start_and_join(2);
  start_and_join(2);
#elif defined(CROWD)
  start_and_join(3);
#elif defined(GONE)
  pthread_t a;
  pthread_barrier_t* heap = malloc(sizeof *heap);
  pthread_barrier_init(heap, NULL, 2);
  pthread_create(&a, NULL, come, heap);
  free(heap);
  pthread_join(a, NULL);
#else
  pthread_t a;
  pthread_create(&a, NULL, come, &meeting);
#ifdef DESTROY_EARLY
  pthread_barrier_destroy(&meeting);
#endif
  pthread_barrier_wait(&meeting);  // @wait
  pthread_barrier_destroy(&meeting);
#ifdef USE_AFTER
  pthread_barrier_wait(&meeting);  // @use
#endif
  pthread_join(a, NULL);
#endif
  return 0;
}
