// SPDX-License-Identifier: MIT
// Writer j stores a[j-1] + 1 to a[j]; one reader scans down for the last zero: (N+3) * 2^(N-2)
// executions. No store is read back in a cycle, so the three models agree.
//
// case: two
// flags: -DN=2
// expect: all=holds executions=5
//
// case: four
// flags: -DN=4
// expect: all=holds executions=28
//
// case: six
// flags: -DN=6
// expect: all=holds executions=144
//
// case: ten
// flags: -DN=10
// expect: all=holds executions=3328
//
// case: fifteen
// flags: -DN=15
// expect: c++20=holds executions=147456
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#ifndef N
#define N 4
#endif

static atomic_int a[N + 1];

static void* write_next(void* argument) {
  size_t j = (size_t)(uintptr_t)argument;
  int before = atomic_load_explicit(&a[j - 1], memory_order_acquire);
  atomic_store_explicit(&a[j], before + 1, memory_order_release);
  return NULL;
}

static void* find_last_zero(void* unused) {
  (void)unused;
  size_t i = N;
  while (atomic_load_explicit(&a[i], memory_order_acquire) != 0) i--;
  return NULL;
}

int main(void) {
  pthread_t reader;
  pthread_t writers[N];
  pthread_create(&reader, NULL, find_last_zero, NULL);
  for (size_t j = 1; j <= N; j++) {
    pthread_create(&writers[j - 1], NULL, write_next, (void*)(uintptr_t)j);
  }
  pthread_join(reader, NULL);
  for (size_t j = 0; j < N; j++) pthread_join(writers[j], NULL);
  return 0;
}
