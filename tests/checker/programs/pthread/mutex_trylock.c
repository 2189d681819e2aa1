// SPDX-License-Identifier: MIT
// A try-lock finds the mutex free before, taken during and free after another's critical section.
//
// case: every_outcome
// expect: all=holds executions=3
//
// case: not_always_free
// flags: -DALWAYS_FREE
// expect: all=violated:assertion at=free
//
// case: ignored_failure
// flags: -DIGNORE
// expect: all=violated:data-race at=race
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void* wait_for_it(void* unused) {
  (void)unused;
  pthread_mutex_lock(&mutex);
  counter++;  // @race
  pthread_mutex_unlock(&mutex);
  return NULL;
}

static void* only_if_free(void* unused) {
  (void)unused;
  int error = pthread_mutex_trylock(&mutex);
  assert(error == 0 || error == EBUSY);
#ifdef ALWAYS_FREE
  assert(error == 0);  // @free
#endif
#ifdef IGNORE
  counter++;  // @race
#else
  if (error == 0) counter++;
#endif
  if (error == 0) pthread_mutex_unlock(&mutex);
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, wait_for_it, NULL);
  pthread_create(&b, NULL, only_if_free, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}
