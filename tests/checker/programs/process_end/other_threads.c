// SPDX-License-Identifier: MIT
// The other threads go on while one ends the process.
//
// case: a_handler_joins_the_worker
// flags: -DJOIN
// expect: all=holds
//
// case: a_handler_races_with_a_detached_thread
// expect: all=violated:data-race at=race
//
// case: nobody_joins_who_ends_the_process
// flags: -DTHREAD_EXITS
// expect: all=holds
//
// case: two_threads_end_the_process
// flags: -DBOTH_EXIT
// expect: all=violated:memory says="ends the process already"
//
// case: two_threads_register_in_either_order
// flags: -DREGISTER
// expect: all=holds executions=2
//
// case: registered_by_a_thread_that_nobody_waits_for
// flags: -DLATE
// expect: all=violated:assertion at=late
//
// case: a_handler_waits_for_ever_and_daemons_may
// flags: -DSTUCK
// options: --daemons
// expect: all=violated:deadlock at=stuck
//
// case: one_ends_it_with_the_lock_that_another_waits_for
// flags: -DHOLDS
// expect: all=holds executions=2
//
// case: one_ends_it_for_what_it_sees_while_main_calls_a_handler
// flags: -DSEES
// expect: all=violated:memory says="ends the process already"
//
// case: a_third_one_registers_while_two_end_it
// flags: -DTHIRD
// expect: all=violated:memory
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

static int result;
static pthread_t worker;

#if defined(REGISTER)
static int called;
static void of_one(void) { called += 1; }
static void of_other(void) { called += 1; }
static void* work(void* handler) {
  atexit(handler == NULL ? of_one : of_other);
  return NULL;
}
static void check(void) { assert(called == 2); }

int main(void) {
  atexit(check);
  pthread_t other;
  pthread_create(&worker, NULL, work, NULL);
  pthread_create(&other, NULL, work, &other);
  pthread_join(worker, NULL);
  pthread_join(other, NULL);
  return 0;
}
#elif defined(LATE)
static void too_late(void) {
  assert(0);  // @late
}
static void* work(void* unused) {
  atexit(too_late);
  return unused;
}

int main(void) {
  pthread_create(&worker, NULL, work, NULL);
  pthread_detach(worker);
  return 0;
}
#elif defined(HOLDS) || defined(THIRD) || defined(SEES)
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static atomic_int told, done;

static void handler(void) {
  while (!done) {
  }
}

static void* end(void* unused) {
#if defined(HOLDS)
  pthread_mutex_lock(&mutex);
#elif defined(SEES)
  if (!told) return unused;
#endif
  exit(0);
  return unused;
}

static void* work(void* unused) {
#if defined(HOLDS)
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
#elif defined(SEES)
  told = 1;
#else
  atexit(handler);
#endif
  done = 1;
  return unused;
}

int main(void) {
#ifdef SEES
  atexit(handler);
#endif
  pthread_t other;
  pthread_create(&other, NULL, end, NULL);
  pthread_create(&worker, NULL, work, NULL);
  pthread_detach(other);
  pthread_detach(worker);
  return 0;
}
#elif defined(STUCK)
static sem_t never;
static void wait_for_ever(void) {
  sem_wait(&never);  // @stuck
}

int main(void) {
  sem_init(&never, 0, 0);
  atexit(wait_for_ever);
  return 0;
}
#else

static void* work(void* unused) {
#ifdef THREAD_EXITS
  result = 1;
  exit(0);
#else
  result = 1;  // @race
#endif
#ifdef BOTH_EXIT
  exit(0);
#endif
  return unused;
}

static void look(void) {
#ifdef JOIN
  pthread_join(worker, NULL);
  assert(result == 1);
#elif defined(THREAD_EXITS)
  assert(result == 1);
#elif !defined(BOTH_EXIT)
  assert(result >= 0);  // @race
#endif
}

int main(void) {
  atexit(look);
  pthread_create(&worker, NULL, work, NULL);
#if defined(THREAD_EXITS)
  pthread_join(worker, NULL);
  assert(0);
#elif !defined(JOIN)
  pthread_detach(worker);
#endif
  return 0;
}
#endif
