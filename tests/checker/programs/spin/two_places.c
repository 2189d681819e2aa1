// SPDX-License-Identifier: MIT
// A round looks at two places. What it has read at the first is in a register while it looks at the
// second, and nobody's when the next round begins: rounds are equal whatever they have read.
//
// case: until_both_are_full
// options: --cc gcc
// expect: all=holds executions=1
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int x;
static atomic_int y;

static void* wait_for_both(void* unused) {
  while (atomic_load(&x) + atomic_load(&y) != 6) {
  }
  return unused;
}

static void* fill(void* place) {
  for (int i = 1; i <= 3; ++i) atomic_store((atomic_int*)place, i);
  return NULL;
}

int main(void) {
  pthread_t threads[3];
  pthread_create(&threads[0], NULL, wait_for_both, NULL);
  pthread_create(&threads[1], NULL, fill, &x);
  pthread_create(&threads[2], NULL, fill, &y);
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], NULL);
}
