// SPDX-License-Identifier: MIT
// N threads raise a counter, each by a compare-exchange that it tries until it succeeds: one
// execution for each order in which they do, N!.
//
// case: two
// flags: -DN=2
// expect: all=holds executions=2
//
// case: three
// flags: -DN=3
// expect: all=holds executions=6
//
// case: four
// flags: -DN=4
// expect: all=holds executions=24
//
// case: five
// flags: -DN=5
// expect: c++20=holds executions=120
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifndef N
#define N 3
#endif

static atomic_int counter;

static void* raise_it(void* unused) {
  int seen;
  do {
    seen = atomic_load_explicit(&counter, memory_order_relaxed);
  } while (!atomic_compare_exchange_strong_explicit(&counter, &seen, seen + 1, memory_order_relaxed,
                                                    memory_order_relaxed));
  return unused;
}

int main(void) {
  pthread_t threads[N];
  for (int i = 0; i < N; i++) pthread_create(&threads[i], NULL, raise_it, NULL);
  for (int i = 0; i < N; i++) pthread_join(threads[i], NULL);
  assert(counter == N);
  return 0;
}
