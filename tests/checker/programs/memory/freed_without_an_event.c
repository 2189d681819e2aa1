// SPDX-License-Identifier: MIT
// Freed memory, met by a thread of which nothing is known yet behind a read-modify-write that takes
// another's value: such an error leaves no event. What the others have done until then is the same
// when the execution is run again.
//
// case: behind_an_exchange
// expect: all=violated:memory at=bug says="free"
//
// case: behind_an_exchange_that_finds_nothing
// flags: -DNEVER
// expect: all=holds
//
// case: behind_a_lock
// flags: -DLOCK
// expect: all=violated:memory at=bug says="free"
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

#ifdef NEVER
enum { asked = 3 };
#else
enum { asked = 1 };
#endif

static atomic_int* freed;

#ifdef LOCK
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int is_done;

static void* does_it(void* unused) {
  pthread_mutex_lock(&mutex);
  is_done = 1;
  pthread_mutex_unlock(&mutex);
  return unused;
}

static void* uses(void* unused) {
  pthread_mutex_lock(&mutex);
  const int before = is_done;
  pthread_mutex_unlock(&mutex);
  if (!before) atomic_store(freed, 1);  // @bug
  return unused;
}

int main(void) {
  freed = malloc(sizeof *freed);
  free(freed);
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, does_it, NULL);
  pthread_create(&threads[1], NULL, uses, NULL);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  return 0;
}
#else
static atomic_int goes, x, y;
static pthread_t last;

static void* waits(void* unused) {
  while (!goes) {
  }
  pthread_join(last, NULL);
  return unused;
}

static void* uses(void* unused) {
  if (atomic_exchange(&x, 2) == asked) atomic_store(freed, 1);  // @bug
  return unused;
}

static void* does_nothing(void* unused) { return unused; }

int main(void) {
  freed = malloc(sizeof *freed);
  free(freed);
  pthread_t waiting;
  pthread_t using;
  pthread_create(&waiting, NULL, waits, NULL);
  pthread_create(&using, NULL, uses, NULL);
  pthread_create(&last, NULL, does_nothing, NULL);
  goes = 1;
  pthread_join(waiting, NULL);  // goes on when `uses` is through
  x = 1;
  y = 1;
  y = 2;
  pthread_join(using, NULL);
  return 0;
}
#endif
