// SPDX-License-Identifier: MIT
// A timed wait that nobody answers: by default time does not pass and it is a lost wake-up; with
// time-outs explored it returns ETIMEDOUT and the program must cope.
//
// case: time_stands_still
// expect: all=violated:lost-wakeup at=wait
//
// case: time_passes
// options: --timeouts
// expect: all=holds
//
// case: time_out_not_expected
// flags: -DNEVER_LATE
// options: --timeouts
// expect: all=violated:assertion at=late
//
// case: answered_in_time
// flags: -DANSWER -DNEVER_LATE
// expect: all=holds
//
// case: answered_perhaps_too_late
// flags: -DANSWER
// options: --timeouts
// expect: all=holds
//
// case: mutex_taken_for_ever
// flags: -DMUTEX
// options: --timeouts
// expect: all=holds
//
// case: futex_time_passes
// flags: -DFUTEX
// options: --timeouts
// expect: all=holds
//
// case: futex_time_stands_still
// flags: -DFUTEX
// expect: all=violated:lost-wakeup at=wait
#include <assert.h>
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
bool ready;
atomic_int word;

static void* wait_a_while(void* unused) {
  (void)unused;
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += 1;
  int error = 0;
#if defined(FUTEX)
  struct timespec one_second = {.tv_sec = 1, .tv_nsec = 0};
  long result = syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, &one_second, NULL, 0);  // @wait
  assert(result == -1 && errno == ETIMEDOUT);
#elif defined(MUTEX)
  error = pthread_mutex_timedlock(&mutex, &until);
  assert(error == ETIMEDOUT);
#else
  pthread_mutex_lock(&mutex);
  while (!ready && error == 0) {
    error = pthread_cond_timedwait(&changed, &mutex, &until);  // @wait
  }
  assert(ready || error == ETIMEDOUT);
#ifdef NEVER_LATE
  assert(error == 0);  // @late
#endif
  pthread_mutex_unlock(&mutex);
#endif
  (void)error;
  return NULL;
}

int main(void) {
  pthread_t waiter;
#ifdef MUTEX
  pthread_mutex_lock(&mutex);
#endif
  pthread_create(&waiter, NULL, wait_a_while, NULL);
#ifdef ANSWER
  pthread_mutex_lock(&mutex);
  ready = true;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&mutex);
#endif
  pthread_join(waiter, NULL);
  (void)word;
  return 0;
}
