// SPDX-License-Identifier: MIT
// A mutex admits its takers in one order an execution.
//
// case: two_threads
// flags: -DTHREADS=2
// expect: all=holds executions=2
//
// case: three_threads
// flags: -DTHREADS=3
// expect: all=holds executions=6
//
// case: one_thread_forgets_the_lock
// flags: -DTHREADS=2 -DFORGET
// expect: all=violated:data-race at=race
//
// case: one_thread_forgets_to_unlock
// flags: -DTHREADS=2 -DNO_UNLOCK
// expect: all=violated:deadlock at=lock
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void* add_one(void* unused) {
  (void)unused;
  pthread_mutex_lock(&mutex);  // @lock
  counter++;                   // @race
#ifndef NO_UNLOCK
  pthread_mutex_unlock(&mutex);
#endif
  return NULL;
}

#ifdef FORGET
static void* add_one_carelessly(void* unused) {
  (void)unused;
  counter++;  // @race
  return NULL;
}
#endif

int main(void) {
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, add_one, NULL);
#ifdef FORGET
  pthread_t careless;
  pthread_create(&careless, NULL, add_one_carelessly, NULL);
  pthread_join(careless, NULL);
#endif
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
#ifndef FORGET
  assert(counter == THREADS);
#endif
  return 0;
}
