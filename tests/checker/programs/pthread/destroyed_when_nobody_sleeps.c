// SPDX-License-Identifier: MIT
// A condition variable may be destroyed when nobody sleeps on it any more: all have been woken, or
// have woken by themselves before whoever destroys it found nobody there.
//
// case: after_a_limit_that_has_passed
// flags: -DPAST
// expect: all=holds
//
// case: after_a_limit
// flags: -DLIMIT
// options: --timeouts
// expect: all=holds
//
// case: after_waking_for_nothing
// options: --spurious
// expect: all=holds
//
// case: nobody_is_woken
// flags: -DWAKES=0
// expect: all=memory at=destroy says="on which T1 sleeps"
//
// Who has found somebody there, and has woken one of two.
// case: one_of_two_is_woken
// flags: -DTWO
// expect: all=memory at=destroy
//
// Whoever wakes may still be at it.
// case: by_who_is_woken
// flags: -DBY_SLEEPER
// expect: all=data-race
#include <pthread.h>
#include <stddef.h>

#ifndef WAKES
#define WAKES 1
#endif

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int gone;

static void* sleeper(void* unused) {
  pthread_mutex_lock(&mutex);
#if defined(PAST)
  const struct timespec when = {0, 0};
  if (!gone) pthread_cond_timedwait(&changed, &mutex, &when);
#elif defined(LIMIT)
  const struct timespec when = {1u << 31, 0};
  while (!gone) pthread_cond_timedwait(&changed, &mutex, &when);
#else
  while (!gone) pthread_cond_wait(&changed, &mutex);
#endif
  pthread_mutex_unlock(&mutex);
  return unused;
}

#ifdef BY_SLEEPER
static void* waker(void* unused) {
  pthread_mutex_lock(&mutex);
  gone = 1;
  pthread_mutex_unlock(&mutex);
  pthread_cond_signal(&changed);
  return unused;
}

int main(void) {
  pthread_t other;
  pthread_create(&other, 0, waker, 0);
  int waited = 0;
  pthread_mutex_lock(&mutex);
  while (!gone) {
    pthread_cond_wait(&changed, &mutex);
    waited = 1;
  }
  pthread_mutex_unlock(&mutex);
  if (waited) pthread_cond_destroy(&changed);
  pthread_join(other, 0);
  return 0;
}
#else
int main(void) {
  pthread_t one;
  pthread_create(&one, 0, sleeper, 0);
#ifdef TWO
  pthread_t two;
  pthread_create(&two, 0, sleeper, 0);
#endif
  pthread_mutex_lock(&mutex);
  gone = 1;
#if defined(TWO)
  pthread_cond_signal(&changed);
#elif WAKES
  pthread_cond_broadcast(&changed);
#endif
  pthread_cond_destroy(&changed);  // @destroy
  pthread_mutex_unlock(&mutex);
  pthread_join(one, 0);
#ifdef TWO
  pthread_join(two, 0);
#endif
  return 0;
}
#endif
