// SPDX-License-Identifier: MIT
// One location alone is always coherent, relaxed or not.
//
// case: one_writer_two_values
// expect: all=holds executions=6
//
// case: two_writers
// flags: -DTWO_WRITERS
// expect: all=holds executions=12
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int x;

static void* write_one(void* unused) {
  (void)unused;
  atomic_store_explicit(&x, 1, memory_order_relaxed);
#ifndef TWO_WRITERS
  atomic_store_explicit(&x, 2, memory_order_relaxed);
#endif
  return NULL;
}

#ifdef TWO_WRITERS
static void* write_two(void* unused) {
  (void)unused;
  atomic_store_explicit(&x, 2, memory_order_relaxed);
  return NULL;
}
#endif

static void* read_twice(void* unused) {
  (void)unused;
  int before = atomic_load_explicit(&x, memory_order_relaxed);
  int after = atomic_load_explicit(&x, memory_order_relaxed);
  assert(before == 0 || after != 0);
#ifndef TWO_WRITERS
  assert(before <= after);
#endif
  return NULL;
}

int main(void) {
  pthread_t writer, reader;
  pthread_create(&writer, NULL, write_one, NULL);
  pthread_create(&reader, NULL, read_twice, NULL);
#ifdef TWO_WRITERS
  pthread_t other;
  pthread_create(&other, NULL, write_two, NULL);
  pthread_join(other, NULL);
#endif
  pthread_join(writer, NULL);
  pthread_join(reader, NULL);
  return 0;
}
