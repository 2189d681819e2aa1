// SPDX-License-Identifier: MIT
// Three philosophers: a cycle of three locks, and the lefty who breaks it.
//
// case: everyone_right_handed
// expect: all=violated:deadlock at=second
//
// case: one_left_handed
// flags: -DLEFTY
// expect: all=holds
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

enum { philosophers = 3 };

static pthread_mutex_t forks[philosophers] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
                                              PTHREAD_MUTEX_INITIALIZER};

static void* dine(void* argument) {
  int first = (int)(intptr_t)argument;
  int second = (first + 1) % philosophers;
#ifdef LEFTY
  if (first == philosophers - 1) {
    first = 0;
    second = philosophers - 1;
  }
#endif
  pthread_mutex_lock(&forks[first]);
  pthread_mutex_lock(&forks[second]);  // @second
  pthread_mutex_unlock(&forks[second]);
  pthread_mutex_unlock(&forks[first]);
  return NULL;
}

int main(void) {
  pthread_t threads[philosophers];
  for (intptr_t i = 0; i < philosophers; i++) pthread_create(&threads[i], NULL, dine, (void*)i);
  for (int i = 0; i < philosophers; i++) pthread_join(threads[i], NULL);
  return 0;
}
