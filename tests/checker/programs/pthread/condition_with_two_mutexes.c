// SPDX-License-Identifier: MIT
// Two threads wait on one condition variable, each with a mutex of its own. POSIX leaves undefined
// what that does while both wait. One after the other they may, and C11 does not say it.
//
// case: at_a_time
// expect: all=violated:memory at=wait says="sleeps with another mutex"
//
// case: not_optimised
// flags: -O0
// expect: all=violated:memory at=wait
//
// case: with_clang
// options: --cc clang-14
// expect: all=violated:memory at=wait
//
// case: the_same_mutex
// flags: -DSECOND=0
// expect: all=holds
//
// case: one_after_the_other
// flags: -DIN_TURN
// expect: all=holds
//
// case: one_that_may_give_up
// flags: -DGIVES_UP
// options: --timeouts
// expect: all=violated:memory at=wait
//
// case: after_the_other_has_given_up
// flags: -DGIVES_UP -DIN_TURN
// options: --timeouts
// expect: all=holds
//
// case: after_a_wake_up_without_reason
// flags: -DIN_TURN
// options: --spurious
// expect: all=holds
//
// case: in_c11
// flags: -DC11
// expect: all=holds
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <threads.h>
#include <time.h>

#ifndef SECOND
#define SECOND 1
#endif

static pthread_mutex_t mutexes[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static mtx_t c11_mutexes[2];
static cnd_t c11_condition;
static int ready[2];

static void* wait_for(void* number) {
  const int n = *(int*)number;
#ifdef C11
  mtx_lock(&c11_mutexes[n]);
  while (!ready[n]) cnd_wait(&c11_condition, &c11_mutexes[n]);
  mtx_unlock(&c11_mutexes[n]);
#else
  pthread_mutex_lock(&mutexes[n]);
  while (!ready[n]) {
#ifdef GIVES_UP
    const struct timespec soon = {1, 0};
    if (pthread_cond_timedwait(&condition, &mutexes[n], &soon) != 0) break;  // @wait
#else
    pthread_cond_wait(&condition, &mutexes[n]);  // @wait
#endif
  }
  pthread_mutex_unlock(&mutexes[n]);
#endif
  return NULL;
}

static void wake(int n) {
#ifdef C11
  mtx_lock(&c11_mutexes[n]);
  ready[n] = 1;
  mtx_unlock(&c11_mutexes[n]);
  cnd_broadcast(&c11_condition);
#else
  pthread_mutex_lock(&mutexes[n]);
  ready[n] = 1;
  pthread_mutex_unlock(&mutexes[n]);
  pthread_cond_broadcast(&condition);
#endif
}

int main(void) {
  static int numbers[2] = {0, SECOND};
  pthread_t a, b;
#ifdef C11
  mtx_init(&c11_mutexes[0], mtx_plain);
  mtx_init(&c11_mutexes[1], mtx_plain);
  cnd_init(&c11_condition);
#endif
  pthread_create(&a, NULL, wait_for, &numbers[0]);
#ifdef IN_TURN
  wake(0);
  pthread_join(a, NULL);
#endif
  pthread_create(&b, NULL, wait_for, &numbers[1]);
  wake(SECOND);
#ifndef IN_TURN
  if (SECOND != 0) wake(0);
  pthread_join(a, NULL);
#endif
  pthread_join(b, NULL);
  return 0;
}
