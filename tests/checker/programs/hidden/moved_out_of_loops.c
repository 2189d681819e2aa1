// SPDX-License-Identifier: MIT
// A loop that reads a variable in some of its rounds reads it in no other: gcc would load it before
// the loop, and store it behind it, whether or not a round comes to that.
//
// case: a_loop_that_never_reads
// flags: -DLOOP=adds_up
// expect: all=holds executions=2
//
// case: a_loop_that_never_reads_optimised_more
// flags: -DLOOP=adds_up -O3
// expect: all=holds executions=2
//
// case: a_loop_that_reads_at_any_time
// flags: -DLOOP=adds_up -DAT_ANY_TIME
// expect: all=data-race at=write
//
// case: a_loop_that_never_writes
// flags: -DLOOP=counts -O2
// expect: all=holds executions=2
//
// case: a_loop_that_writes_at_any_time
// flags: -DLOOP=counts -DAT_ANY_TIME -O2
// expect: all=data-race at=write
//
// case: where_an_attribute_asks_for_it
// flags: -DLOOP=adds_up -DASKS=optimize(\"tree-loop-im\")
// options: --cc gcc
// expect: all=refused says="leave out or move accesses of .adds_up"
//
// case: with_clang
// flags: -DLOOP=adds_up -O2
// options: --cc clang-14
// expect: all=holds executions=2
#include <pthread.h>
#include <stdatomic.h>

#ifndef ASKS
#define ASKS unused
#endif

static atomic_int ready;
static int value, rounds = 2;

static void* put(void* nothing) {
  value = 4;  // @write
  atomic_store_explicit(&ready, 1, memory_order_release);
  return nothing;
}

__attribute__((unused, noinline, ASKS)) static int adds_up(int is_ready) {
  int sum = 0;
  for (int i = 0; i < rounds; i++) {
    if (is_ready) sum += value;
  }
  return sum == 0 || sum == 8;
}

__attribute__((unused, noinline)) static int counts(int is_ready) {
  for (int i = 0; i < rounds; i++) {
    if (is_ready) ++value;
  }
  return !is_ready || value == 6;
}

int main(void) {
  pthread_t other;
  pthread_create(&other, NULL, put, NULL);
  int is_ready = atomic_load_explicit(&ready, memory_order_acquire);
#ifdef AT_ANY_TIME
  is_ready = 1;
#endif
  const int fits = LOOP(is_ready);
  pthread_join(other, NULL);
  return !fits;
}
