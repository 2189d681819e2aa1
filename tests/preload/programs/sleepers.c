/* SPDX-License-Identifier: MIT
 *
 * Has a thread wait in each way that there is to wait for a lock, tells how many there are, and
 * waits to be killed. The first two wait for a mutex.
 */
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../conformance/case.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t other_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t read_write_lock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_once_t control = PTHREAD_ONCE_INIT;
static sem_t semaphore;

static struct timespec in_an_hour(clockid_t clock) {
  struct timespec moment;
  clock_gettime(clock, &moment);
  moment.tv_sec += 3600;
  return moment;
}

static void* locks(void* unused) { return pthread_mutex_lock(&mutex) == 0 ? unused : NULL; }

static void* locks_in_time(void* unused) {
  const struct timespec moment = in_an_hour(CLOCK_REALTIME);
  return pthread_mutex_timedlock(&mutex, &moment) == 0 ? unused : NULL;
}

static void* waits(void* unused) {
  pthread_mutex_lock(&other_mutex);
  for (;;) pthread_cond_wait(&condition, &other_mutex);
  return unused;
}

static void* waits_in_time(void* unused) {
  pthread_mutex_lock(&other_mutex);
  const struct timespec moment = in_an_hour(CLOCK_REALTIME);
  for (;;) pthread_cond_timedwait(&condition, &other_mutex, &moment);
  return unused;
}

static void* reads(void* unused) {
  return pthread_rwlock_rdlock(&read_write_lock) == 0 ? unused : NULL;
}

static void* writes_in_time(void* unused) {
  const struct timespec moment = in_an_hour(CLOCK_MONOTONIC);
  return pthread_rwlock_clockwrlock(&read_write_lock, CLOCK_MONOTONIC, &moment) == 0 ? unused
                                                                                     : NULL;
}

static void* needs_a_permit(void* unused) { return sem_wait(&semaphore) == 0 ? unused : NULL; }

static void* needs_it_in_time(void* unused) {
  const struct timespec moment = in_an_hour(CLOCK_REALTIME);
  return sem_timedwait(&semaphore, &moment) == 0 ? unused : NULL;
}

static void initialise(void) {
  for (;;) pause();
}

static void* initialises(void* unused) {
  return pthread_once(&control, initialise) == 0 ? unused : NULL;
}

int main(void) {
  static void* (*const ways[])(void*) = {
      locks,          locks_in_time,    waits,       waits_in_time, reads, writes_in_time,
      needs_a_permit, needs_it_in_time, initialises, initialises,
  };
  pthread_mutex_lock(&mutex);
  pthread_rwlock_wrlock(&read_write_lock);
  if (sem_init(&semaphore, 0, 0) != 0) abort();
  for (size_t n = 0; n != LENGTH(ways); ++n) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, ways[n], NULL) != 0) abort();
  }
  printf("%zu threads\n", LENGTH(ways));
  fflush(stdout);
  for (;;) pause();
}
