// SPDX-License-Identifier: MIT
// What runs when a thread ends, and how a thread may not be ended.
//
// case: destructors_of_keys_run_in_the_thread_that_ends
// flags: -DKEYS
// expect: all=holds
//
// case: a_destructor_that_races
// flags: -DKEYS -DRACE
// expect: all=violated:data-race at=count
//
// case: a_destructor_that_sets_its_value_again_runs_again
// flags: -DKEYS -DAGAIN
// expect: all=holds
//
// case: a_destructor_that_waits_for_ever
// flags: -DKEYS -DSTUCK
// expect: all=violated at=stuck
//
// case: cancelled
// flags: -DCANCEL
// expect: all=inconclusive at=cancel says="pthread_cancel"
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_key_t key;
static int count;
static sem_t never;

static void leave(void* value) {
#ifndef RACE
  pthread_mutex_lock(&mutex);
#endif
  count += *(int*)value;  // @count
#ifndef RACE
  pthread_mutex_unlock(&mutex);
#endif
#ifdef AGAIN
  static int once[2] = {0, 0};
  int* mine = value;
  if (once[*mine - 1]++ == 0) pthread_setspecific(key, value);
#endif
#ifdef STUCK
  sem_wait(&never);  // @stuck
#endif
}

static void* work(void* value) {
  pthread_setspecific(key, value);
  return NULL;
}

int main(void) {
  static int one = 1, two = 2;
  pthread_t a, b;
  sem_init(&never, 0, 0);
  pthread_key_create(&key, leave);
  pthread_create(&a, NULL, work, &one);
  pthread_create(&b, NULL, work, &two);
#ifdef CANCEL
  pthread_cancel(a);  // @cancel
#endif
  pthread_join(a, NULL);
  pthread_join(b, NULL);
#ifdef AGAIN
  assert(count == 6);
#else
  assert(count == 3);
#endif
  return 0;
}
