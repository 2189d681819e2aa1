// SPDX-License-Identifier: MIT
// A compare-exchange that fails has read, and what it has read from comes first whenever the
// execution is run again: the reader is the first to run, but not before the writer has written.
//
// case: it_acquires
// expect: all=holds
//
// case: it_is_relaxed
// flags: -DORDER=relaxed
// expect: all=violated:data-race at=race
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifndef ORDER
#define ORDER acquire
#endif
#define ORDER_(name) memory_order_##name
#define ORDER_OF(name) ORDER_(name)

static int data;
static atomic_int flag, other;

static void* read_it(void* unused) {
  (void)atomic_load_explicit(&other, memory_order_relaxed);
  int expected = 0;
  if (!atomic_compare_exchange_strong_explicit(&flag, &expected, 2, ORDER_OF(ORDER),
                                               ORDER_OF(ORDER))) {
    assert(expected == 1);
    assert(data == 1);  // @race
  }
  // Several values each: the execution is run again along what it has in common.
  (void)atomic_load_explicit(&other, memory_order_relaxed);
  (void)atomic_load_explicit(&other, memory_order_relaxed);
  return unused;
}

static void* write_it(void* unused) {
  data = 1;
  atomic_store_explicit(&flag, 1, memory_order_release);
  atomic_store_explicit(&other, 1, memory_order_relaxed);
  atomic_store_explicit(&other, 2, memory_order_relaxed);
  return unused;
}

int main(void) {
  pthread_t reader, writer;
  pthread_create(&reader, NULL, read_it, NULL);
  pthread_create(&writer, NULL, write_it, NULL);
  pthread_join(reader, NULL);
  pthread_join(writer, NULL);
}
