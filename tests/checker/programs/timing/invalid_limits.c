// SPDX-License-Identifier: MIT
// A time with a billion nanoseconds or more, or with less than none, is refused with EINVAL, also
// where nobody would have to wait. Only a mutex that is free is locked all the same.
//
// case: too_many_nanoseconds
// expect: all=holds executions=1
//
// case: fewer_than_none
// flags: -DNANOSECONDS=-1
// expect: all=holds executions=1
//
// case: time_runs_out
// options: --timeouts
// expect: all=holds executions=1
//
// case: the_most_there_may_be
// flags: -DNANOSECONDS=999999999
// options: --timeouts
// expect: all=violated:assertion at=condition
//
// case: not_optimised
// flags: -O0
// expect: all=holds executions=1
//
// case: with_clang
// options: --cc clang-14
// expect: all=holds executions=1
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#ifndef NANOSECONDS
#define NANOSECONDS 1000000000
#endif

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t strict = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static struct timespec limit = {1, NANOSECONDS};
static int word;

int main(void) {
  pthread_mutex_lock(&mutex);
  assert(pthread_cond_timedwait(&condition, &mutex, &limit) == EINVAL);  // @condition
  assert(pthread_cond_clockwait(&condition, &mutex, CLOCK_MONOTONIC, &limit) == EINVAL);
  assert(pthread_mutex_timedlock(&mutex, &limit) == EINVAL);
  pthread_mutex_unlock(&mutex);
  assert(pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &limit) == 0);
  pthread_mutex_unlock(&mutex);
  assert(pthread_mutex_timedlock(&strict, &limit) == 0);
  assert(pthread_mutex_timedlock(&strict, &limit) == EDEADLK);
  assert(pthread_rwlock_timedrdlock(&lock, &limit) == EINVAL);
  assert(pthread_rwlock_timedwrlock(&lock, &limit) == EINVAL);

  sem_t semaphore;
  sem_init(&semaphore, 0, 1);
  assert(sem_timedwait(&semaphore, &limit) == -1 && errno == EINVAL);

  mtx_t c11;
  cnd_t c11_condition;
  mtx_init(&c11, mtx_timed);
  cnd_init(&c11_condition);
  mtx_lock(&c11);
  assert(mtx_timedlock(&c11, &limit) == thrd_error);
  assert(cnd_timedwait(&c11_condition, &c11, &limit) == thrd_error);
  mtx_unlock(&c11);

  assert(nanosleep(&limit, NULL) == -1 && errno == EINVAL);
  assert(clock_nanosleep(CLOCK_MONOTONIC, 0, &limit, NULL) == EINVAL);
  assert(thrd_sleep(&limit, NULL) < -1);
  assert(ppoll(NULL, 0, &limit, NULL) == -1 && errno == EINVAL);
  assert(syscall(SYS_futex, &word, FUTEX_WAIT, 0, &limit, NULL, 0) == -1 && errno == EINVAL);
  const struct timespec before_1970 = {-1, 0};
  assert(nanosleep(&before_1970, NULL) == -1 && errno == EINVAL);
  return 0;
}
