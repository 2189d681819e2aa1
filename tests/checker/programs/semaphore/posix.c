// SPDX-License-Identifier: MIT
// POSIX semaphores. Each changes one number by read-modify-writes: a hand-over has one execution,
// two threads that exclude each other two, two that post 2! orders.
//
// case: hand_over
// expect: all=holds executions=1
//
// case: hand_over_compiled_by_clang
// options: --cc clang-14
// expect: all=holds executions=1
//
// case: exclusion
// flags: -DEXCLUDE
// expect: all=holds executions=2
//
// case: two_post_and_one_waits_for_both
// flags: -DTWO
// expect: all=holds executions=4
//
// case: polled
// flags: -DPOLL
// expect: all=holds executions=1
//
// case: value_polled
// flags: -DVALUE
// expect: all=violated:data-race at=payload
//
// case: never_posted
// flags: -DNEVER
// expect: all=violated:deadlock at=wait says="main waits for the semaphore filled, which is 0"
//
// case: two_semaphores_in_opposite_orders
// flags: -DOPPOSITE
// expect: all=violated:deadlock
//
// case: timed_wait_waits
// flags: -DTIMED
// expect: all=holds executions=1
//
// case: timed_wait_runs_out_of_time
// flags: -DTIMED
// options: --timeouts
// expect: all=violated:assertion at=late
//
// case: timed_wait_that_copes
// flags: -DTIMED -DCOPE
// options: --timeouts
// expect: all=holds
//
// case: timed_wait_for_nobody
// flags: -DTIMED -DNEVER
// expect: all=violated:deadlock says="its time limit is not counted on"
//
// case: timed_wait_for_nobody_that_gives_up
// flags: -DTIMED -DNEVER -DCOPE
// options: --timeouts
// expect: all=holds executions=1
//
// case: spurious_wake_ups_are_none_of_a_semaphore
// options: --spurious
// expect: all=holds executions=1
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>
#include <time.h>

static sem_t filled;
static sem_t other;
static int payload;

static void* fill(void* unused) {
  (void)unused;
#if defined(EXCLUDE)
  sem_wait(&filled);
  payload++;
#elif defined(OPPOSITE)
  sem_wait(&other);
  sem_wait(&filled);
  payload++;
  sem_post(&other);
#elif defined(TWO)
  (void)payload;
#else
  payload = 42;  // @payload
#endif
#ifndef NEVER
  sem_post(&filled);
#endif
  return NULL;
}

int main(void) {
#if defined(EXCLUDE) || defined(OPPOSITE)
  sem_init(&filled, 0, 1);
#else
  sem_init(&filled, 0, 0);
#endif
  sem_init(&other, 0, 1);
  pthread_t a;
  pthread_create(&a, NULL, fill, NULL);
#if defined(EXCLUDE) || defined(OPPOSITE)
  sem_wait(&filled);
#ifdef OPPOSITE
  sem_wait(&other);
  sem_post(&other);
#endif
  payload++;
  sem_post(&filled);
#elif defined(TWO)
  pthread_t b;
  pthread_create(&b, NULL, fill, NULL);
  sem_wait(&filled);
  sem_wait(&filled);
  pthread_join(b, NULL);
#elif defined(POLL)
  while (sem_trywait(&filled) != 0) {
  }
  assert(payload == 42);
#elif defined(VALUE)
  int value = 0;
  while (value == 0) sem_getvalue(&filled, &value);
  assert(payload == 42);  // @payload
#elif defined(TIMED)
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec++;
  const int failed = sem_timedwait(&filled, &until);
#ifdef COPE
  assert(failed == 0 || errno == ETIMEDOUT);
#else
  assert(failed == 0);  // @late
#endif
  if (failed == 0) assert(payload == 42);
#else
  sem_wait(&filled);  // @wait
  assert(payload == 42);
#endif
  pthread_join(a, NULL);
#if defined(EXCLUDE) || defined(OPPOSITE)
  assert(payload == 2);
#endif
  sem_destroy(&filled);
  sem_destroy(&other);
  return 0;
}
