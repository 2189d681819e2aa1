// SPDX-License-Identifier: MIT
// How long to wait is read from the program's memory. select() also writes there what is left of
// the time, as Linux does, and a clock writes what it shows.
//
// case: nanosleep
// flags: '-DCALL=nanosleep(&limit, NULL)'
// expect: all=violated:data-race at=call
//
// case: nobody_changes_it
// flags: '-DCALL=nanosleep(&limit, NULL)' -DREADS
// expect: all=holds
//
// case: clock_nanosleep
// flags: '-DCALL=clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &limit, NULL)'
// expect: all=violated:data-race at=call
//
// case: thrd_sleep
// flags: '-DCALL=thrd_sleep(&limit, NULL)'
// expect: all=violated:data-race at=call
//
// case: pthread_mutex_timedlock
// flags: '-DCALL=pthread_mutex_timedlock(&mutex, &limit)'
// expect: all=violated:data-race at=call
//
// case: pthread_mutex_timedlock_and_nobody_changes_it
// flags: '-DCALL=pthread_mutex_timedlock(&mutex, &limit)' -DREADS
// expect: all=holds
//
// case: pthread_mutex_clocklock
// flags: '-DCALL=pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &limit)'
// expect: all=violated:data-race at=call
//
// case: mtx_timedlock
// flags: '-DCALL=mtx_timedlock((mtx_t*)&mutex, &limit)'
// expect: all=violated:data-race at=call
//
// case: pthread_cond_timedwait
// flags: '-DCALL=pthread_cond_timedwait(&condition, &mutex, &limit)' -DLOCKED
// options: --timeouts
// expect: all=violated:data-race at=call
//
// case: pthread_cond_clockwait
// flags: '-DCALL=pthread_cond_clockwait(&condition, &mutex, CLOCK_MONOTONIC, &limit)' -DLOCKED
// options: --timeouts
// expect: all=violated:data-race at=call
//
// case: cnd_timedwait
// flags: '-DCALL=cnd_timedwait((cnd_t*)&condition, (mtx_t*)&mutex, &limit)' -DLOCKED
// options: --timeouts
// expect: all=violated:data-race at=call
//
// case: sem_timedwait
// flags: '-DCALL=sem_timedwait(&semaphore, &limit)'
// expect: all=violated:data-race at=call
//
// case: sem_timedwait_and_nobody_changes_it
// flags: '-DCALL=sem_timedwait(&semaphore, &limit)' -DREADS
// expect: all=holds
//
// case: sem_clockwait
// flags: '-DCALL=sem_clockwait(&semaphore, CLOCK_MONOTONIC, &limit)'
// expect: all=violated:data-race at=call
//
// case: pthread_rwlock_timedrdlock
// flags: '-DCALL=pthread_rwlock_timedrdlock(&rwlock, &limit)'
// expect: all=violated:data-race at=call
//
// case: pthread_rwlock_clockwrlock
// flags: '-DCALL=pthread_rwlock_clockwrlock(&rwlock, CLOCK_MONOTONIC, &limit)'
// expect: all=violated:data-race at=call
//
// case: pthread_rwlock_clockwrlock_and_nobody_changes_it
// flags: '-DCALL=pthread_rwlock_clockwrlock(&rwlock, CLOCK_MONOTONIC, &limit)' -DREADS
// expect: all=holds
//
// case: futex
// flags: '-DCALL=syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, &limit, NULL, 0)'
// options: --timeouts
// expect: all=violated:data-race at=call
//
// case: ppoll
// flags: '-DCALL=ppoll(NULL, 0, &limit, NULL)'
// expect: all=violated:data-race at=call
//
// case: pselect
// flags: '-DCALL=pselect(0, NULL, NULL, NULL, &limit, NULL)'
// expect: all=violated:data-race at=call
//
// case: pselect_and_nobody_changes_it
// flags: '-DCALL=pselect(0, NULL, NULL, NULL, &limit, NULL)' -DREADS
// expect: all=holds
//
// case: select_writes_what_is_left
// flags: '-DCALL=select(0, NULL, NULL, NULL, (struct timeval*)&limit)' -DREADS
// expect: all=violated:data-race at=call
//
// case: timespec_get
// flags: '-DCALL=timespec_get(&limit, TIME_UTC)' -DREADS
// expect: all=violated:data-race at=call
//
// case: clock_gettime
// flags: '-DCALL=clock_gettime(CLOCK_MONOTONIC, &limit)' -DREADS
// expect: all=violated:data-race at=call
//
// case: gettimeofday
// flags: '-DCALL=gettimeofday((struct timeval*)&limit, NULL)' -DREADS
// expect: all=violated:data-race at=call
//
// case: time
// flags: '-DCALL=time(&limit.tv_sec)' -DREADS
// expect: all=violated:data-race at=call
#define _GNU_SOURCE
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

static struct timespec limit = {1, 0};
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
sem_t semaphore;
unsigned word;

static void* run(void* unused) {
#ifdef LOCKED
  pthread_mutex_lock(&mutex);
#endif
  (void)CALL;  // @call
#ifdef LOCKED
  pthread_mutex_unlock(&mutex);
#endif
  return unused;
}

int main(void) {
  pthread_t thread;
  sem_init(&semaphore, 0, 1);
  pthread_create(&thread, NULL, run, NULL);
#ifdef READS
  const long seconds = limit.tv_sec;
#else
  const long seconds = 1;
  limit.tv_sec = 2;
#endif
  pthread_join(thread, NULL);
  return seconds == 77;
}
