// SPDX-License-Identifier: MIT
// A condition variable with a recursive mutex. To wait gives up one level of it, as glibc does: one
// that is locked twice stays locked. Only a mutex that checks for errors tells others that they do
// not own it: of the rest it is undefined to wait with it then, says POSIX.
//
// case: locked_once
// flags: -DLEVELS=1
// expect: all=holds
//
// case: locked_twice
// flags: -DLEVELS=2
// expect: all=violated:lost-wakeup at=wait
//
// case: locked_twice_in_c11
// flags: -DLEVELS=2 -DC11
// expect: all=violated:lost-wakeup at=wait
//
// case: locked_once_in_c11
// flags: -DLEVELS=1 -DC11
// expect: all=holds
//
// case: a_level_is_left_where_time_runs_out
// flags: -DLEVELS=2 -DTIMED
// options: --timeouts
// expect: all=holds
//
// case: not_held
// flags: -DNOT_HELD=PTHREAD_MUTEX_RECURSIVE
// expect: all=violated:memory says="without holding the mutex"
//
// case: not_held_and_checked
// flags: -DNOT_HELD=PTHREAD_MUTEX_ERRORCHECK
// expect: all=holds
//
// case: not_held_and_nobody_looks
// flags: -DNOT_HELD=PTHREAD_MUTEX_NORMAL
// expect: all=violated:memory says="without holding the mutex"
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <threads.h>
#include <time.h>

#ifdef NOT_HELD
int main(void) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_settype(&attributes, NOT_HELD);
  pthread_mutex_t mutex;
  pthread_mutex_init(&mutex, &attributes);
  pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
  assert(pthread_cond_wait(&changed, &mutex) == EPERM);
  return 0;
}
#else
#ifdef C11
static mtx_t mutex;
static cnd_t changed;
#define LOCK() mtx_lock(&mutex)
#define UNLOCK() mtx_unlock(&mutex)
#define WAIT() cnd_wait(&changed, &mutex)
#define SIGNAL() cnd_signal(&changed)
#else
static pthread_mutex_t mutex = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static const struct timespec soon = {1, 0};
#define LOCK() pthread_mutex_lock(&mutex)
#define UNLOCK() pthread_mutex_unlock(&mutex)
#ifdef TIMED
#define WAIT() pthread_cond_timedwait(&changed, &mutex, &soon)
#else
#define WAIT() pthread_cond_wait(&changed, &mutex)
#endif
#define SIGNAL() pthread_cond_signal(&changed)
#endif
static int ready;

static void* work(void* unused) {
  LOCK();
  ready = 1;
  SIGNAL();
  UNLOCK();
  return unused;
}

int main(void) {
#ifdef C11
  mtx_init(&mutex, mtx_plain | mtx_recursive);
  cnd_init(&changed);
#endif
  pthread_t worker;
  pthread_create(&worker, NULL, work, NULL);
  for (int i = 0; i < LEVELS; i++) LOCK();
#ifdef TIMED
  (void)soon;
  if (!ready) assert(WAIT() == ETIMEDOUT);
#else
  while (!ready) WAIT();  // @wait
#endif
  for (int i = 0; i < LEVELS; i++) UNLOCK();
  pthread_join(worker, NULL);
  return 0;
}
#endif
