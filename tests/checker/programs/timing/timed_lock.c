// SPDX-License-Identifier: MIT
// A timed lock of a mutex that somebody holds for a while: it may come too late.
//
// case: time_stands_still
// expect: all=holds executions=2
//
// case: time_passes
// options: --timeouts
// expect: all=violated:assertion at=late
//
// case: time_passes_and_it_copes
// flags: -DCOPE
// options: --timeouts
// expect: all=holds
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void* hold(void* unused) {
  (void)unused;
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  return NULL;
}

static void* try_for_a_while(void* unused) {
  (void)unused;
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += 1;
  int error = pthread_mutex_timedlock(&mutex, &until);
#ifdef COPE
  assert(error == 0 || error == ETIMEDOUT);
#else
  assert(error == 0);  // @late
#endif
  if (error == 0) pthread_mutex_unlock(&mutex);
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, hold, NULL);
  pthread_create(&b, NULL, try_for_a_while, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}
