// SPDX-License-Identifier: MIT
// Threads that set a flag, however it stands, and threads that clear it, each by a compare-exchange
// that confirms what it has read before; and some that clear it only if it is set.
//
// case: one_of_each
// flags: -DSETTERS=1 -DOTHERS=1
// expect: all=holds executions=10
//
// case: two_setters
// flags: -DSETTERS=2 -DOTHERS=1
// expect: all=holds executions=68
//
// case: three_setters
// flags: -DSETTERS=3 -DOTHERS=1
// expect: c++20=holds executions=744
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifndef SETTERS
#define SETTERS 3
#endif
#ifndef OTHERS
#define OTHERS 1
#endif

static atomic_int flag;

static void becomes(int wanted) {
  int seen;
  do {
    seen = atomic_load(&flag);
  } while (!atomic_compare_exchange_strong(&flag, &seen, wanted));
}

static void* set(void* unused) {
  becomes(1);
  return unused;
}

static void* clear(void* unused) {
  becomes(0);
  return unused;
}

static void* clear_if_set(void* unused) {
  int expected = 1;
  atomic_compare_exchange_strong(&flag, &expected, 0);
  return unused;
}

int main(void) {
  pthread_t setters[SETTERS];
  pthread_t clearers[OTHERS];
  pthread_t others[OTHERS];
  for (int i = 0; i < OTHERS; i++) pthread_create(&others[i], NULL, clear_if_set, NULL);
  for (int i = 0; i < SETTERS; i++) pthread_create(&setters[i], NULL, set, NULL);
  for (int i = 0; i < OTHERS; i++) pthread_create(&clearers[i], NULL, clear, NULL);
  for (int i = 0; i < OTHERS; i++) pthread_join(others[i], NULL);
  for (int i = 0; i < SETTERS; i++) pthread_join(setters[i], NULL);
  for (int i = 0; i < OTHERS; i++) pthread_join(clearers[i], NULL);
  return 0;
}
