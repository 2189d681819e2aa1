// SPDX-License-Identifier: MIT
// N threads each insert four keys into one hash table by compare-exchange with linear probing.
// Two keys meet only where the threads' numbers differ by 11: three meetings a pair, two ways each.
//
// case: eleven_threads_never_meet
// flags: -DN=11
// expect: all=holds executions=1
//
// case: twelve_threads
// flags: -DN=12
// expect: all=holds executions=8
//
// case: thirteen_threads
// flags: -DN=13
// expect: c++20=holds executions=64
//
// case: fifteen_threads
// flags: -DN=15
// expect: c++20=holds executions=4096
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#ifndef N
#define N 12
#endif

enum { table_size = 128, keys_per_thread = 4 };

static atomic_int table[table_size];

static void* insert_keys(void* argument) {
  int number = (int)(intptr_t)argument;
  for (int i = 0; i < keys_per_thread; i++) {
    int key = 11 * i + number;
    int slot = (7 * key) % table_size;
    int empty = 0;
    while (!atomic_compare_exchange_strong_explicit(&table[slot], &empty, key, memory_order_relaxed,
                                                    memory_order_relaxed)) {
      slot = (slot + 1) % table_size;
      empty = 0;
    }
  }
  return NULL;
}

int main(void) {
  pthread_t threads[N];
  for (intptr_t t = 0; t < N; t++) pthread_create(&threads[t], NULL, insert_keys, (void*)t);
  for (int t = 0; t < N; t++) pthread_join(threads[t], NULL);
  return 0;
}
