// SPDX-License-Identifier: MIT
// Waits that name their clock.
//
// case: mutex_is_waited_for
// flags: -DBODY=of_a_mutex -DHELD
// expect: all=holds
//
// case: mutex_comes_too_late
// flags: -DBODY=of_a_mutex -DHELD
// options: --timeouts
// expect: all=violated:assertion at=late
//
// case: condition_is_waited_for
// flags: -DBODY=of_a_condition
// expect: all=holds
//
// case: condition_comes_too_late
// flags: -DBODY=of_a_condition
// options: --timeouts
// expect: all=violated:assertion at=late
//
// case: condition_that_nobody_signals
// flags: -DBODY=of_a_condition -DSILENT
// expect: all=violated:lost-wakeup says="time limit"
//
// case: condition_that_nobody_signals_and_it_copes
// flags: -DBODY=of_a_condition -DSILENT -DCOPES
// options: --timeouts
// expect: all=holds
//
// case: semaphore_is_waited_for
// flags: -DBODY=of_a_semaphore
// expect: all=holds
//
// case: semaphore_comes_too_late
// flags: -DBODY=of_a_semaphore
// options: --timeouts
// expect: all=violated:assertion at=late
//
// case: nobody_waits_by_the_time_of_the_process
// flags: -DBODY=of_no_clock
// expect: all=holds
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stddef.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static sem_t semaphore;
static bool ready;
static struct timespec soon;

static void in_time(int error) {
#ifdef COPES
  assert(error == 0 || error == ETIMEDOUT);
#else
  assert(error == 0);  // @late
#endif
}

static void of_a_mutex(void) {
  const int error = pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &soon);
  in_time(error);
  if (error == 0) pthread_mutex_unlock(&mutex);
}

static void of_a_condition(void) {
  pthread_mutex_lock(&mutex);
  int error = 0;
  while (!ready && error == 0) {
    error = pthread_cond_clockwait(&changed, &mutex, CLOCK_MONOTONIC, &soon);
  }
  in_time(error);
  pthread_mutex_unlock(&mutex);
}

static void of_a_semaphore(void) {
  in_time(sem_clockwait(&semaphore, CLOCK_MONOTONIC, &soon) == 0 ? 0 : errno);
}

static void of_no_clock(void) {
  const clockid_t none = CLOCK_PROCESS_CPUTIME_ID;
  pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
  assert(pthread_mutex_clocklock(&mutex, none, &soon) == EINVAL);
  assert(sem_clockwait(&semaphore, none, &soon) == -1 && errno == EINVAL);
  assert(pthread_rwlock_clockrdlock(&lock, none, &soon) == EINVAL);
  assert(pthread_rwlock_clockwrlock(&lock, none, &soon) == EINVAL);
  pthread_mutex_lock(&mutex);
  assert(pthread_cond_clockwait(&changed, &mutex, none, &soon) == EINVAL);
  pthread_mutex_unlock(&mutex);
}

static void* wait_for_it(void* unused) {
  (void)unused;
  BODY();
  return NULL;
}

int main(void) {
  void (*const bodies[])(void) = {of_a_mutex, of_a_condition, of_a_semaphore, of_no_clock};
  (void)bodies;
  pthread_t t;
  clock_gettime(CLOCK_MONOTONIC, &soon);
  soon.tv_sec++;
  sem_init(&semaphore, 0, 0);
#ifdef HELD
  pthread_mutex_lock(&mutex);
#endif
  pthread_create(&t, NULL, wait_for_it, NULL);
#ifndef HELD
  pthread_mutex_lock(&mutex);
#endif
  ready = true;
#ifndef SILENT
  pthread_cond_signal(&changed);
#else
  ready = false;
#endif
  pthread_mutex_unlock(&mutex);
  sem_post(&semaphore);
  pthread_join(t, NULL);
  return 0;
}
