// SPDX-License-Identifier: MIT
// One release store, N acquire loads that each see it or not: 2^N executions.
//
// case: one_reader
// flags: -DN=1
// expect: all=holds executions=2
//
// case: three_readers
// flags: -DN=3
// expect: all=holds executions=8
//
// case: six_readers
// flags: -DN=6
// expect: all=holds executions=64
//
// case: thirteen_readers
// flags: -DN=13
// expect: c++20=holds executions=8192
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifndef N
#define N 3
#endif

static atomic_int x;

static void* write_once(void* unused) {
  (void)unused;
  atomic_store_explicit(&x, 1, memory_order_release);
  return NULL;
}

static void* read_once(void* unused) {
  (void)unused;
  (void)atomic_load_explicit(&x, memory_order_acquire);
  return NULL;
}

int main(void) {
  pthread_t writer;
  pthread_t readers[N];
  pthread_create(&writer, NULL, write_once, NULL);
  for (int i = 0; i < N; i++) pthread_create(&readers[i], NULL, read_once, NULL);
  pthread_join(writer, NULL);
  for (int i = 0; i < N; i++) pthread_join(readers[i], NULL);
  return 0;
}
