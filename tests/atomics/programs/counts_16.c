// SPDX-License-Identifier: MIT
//
// Two threads count on one object of 16 bytes, each by code of another compiler. It begins where
// the lower half overflows into the upper.
#include <pthread.h>
#include <stdatomic.h>

#include "functions.h"

enum { turns = 100000 };
void count_0(_Atomic uint128_t*, int);
void count_1(_Atomic uint128_t*, int);
static _Alignas(16) uint128_t counter;

static void* count(void* unused) {
  (void)unused;
  count_0((_Atomic uint128_t*)&counter, turns);
  return NULL;
}

int main(void) {
  counter = UINT64_MAX - turns;
  const uint128_t begin = counter;
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, count, NULL) == 0);
  count_1((_Atomic uint128_t*)&counter, turns);
  pthread_join(thread, NULL);
  CHECK(counter - begin == 2 * turns);
  return 0;
}
