// SPDX-License-Identifier: MIT
// N threads in a ring, each stores to its own variable and reads its neighbour's: 2^N executions,
// less the one in which everybody reads the old value where that is forbidden.
//
// case: two_relaxed
// flags: -DN=2 -DORDER=memory_order_relaxed
// expect: c++20=holds x86=holds executions=4
// expect: sc=holds executions=3
//
// case: two
// flags: -DN=2
// expect: all=holds executions=3
//
// case: five
// flags: -DN=5
// expect: all=holds executions=31
//
// case: ten
// flags: -DN=10
// expect: c++20=holds executions=1023
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifndef N
#define N 3
#endif
#ifndef ORDER
#define ORDER memory_order_seq_cst
#endif

static atomic_int own[N];

static void* store_and_look(void* argument) {
  atomic_int* mine = argument;
  atomic_int* other = mine == &own[N - 1] ? &own[0] : mine + 1;
  atomic_store_explicit(mine, 1, ORDER);
  (void)atomic_load_explicit(other, ORDER);
  return NULL;
}

int main(void) {
  pthread_t threads[N];
  for (int i = 0; i < N; i++) pthread_create(&threads[i], NULL, store_and_look, &own[i]);
  for (int i = 0; i < N; i++) pthread_join(threads[i], NULL);
  return 0;
}
