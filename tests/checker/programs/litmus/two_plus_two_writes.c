// SPDX-License-Identifier: MIT
// 2+2W: both locations end with the value that was written first.
//
// case: relaxed
// flags: -DSTORE=relaxed
// expect: c++20=violated:assertion x86=holds sc=holds executions=3 at=first_won
//
// case: release
// flags: -DSTORE=release
// expect: c++20=violated:assertion x86=holds sc=holds executions=3 at=first_won
//
// case: seq_cst
// flags: -DSTORE=seq_cst
// expect: all=holds executions=3
//
// case: every_outcome_relaxed
// flags: -DSTORE=relaxed -DNDEBUG
// expect: c++20=holds executions=4
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#define ORDER_(name) memory_order_##name
#define ORDER(name) ORDER_(name)

static atomic_int x, y;

static void* first(void* unused) {
  (void)unused;
  atomic_store_explicit(&x, 1, ORDER(STORE));
  atomic_store_explicit(&y, 2, ORDER(STORE));
  return NULL;
}

static void* second(void* unused) {
  (void)unused;
  atomic_store_explicit(&y, 1, ORDER(STORE));
  atomic_store_explicit(&x, 2, ORDER(STORE));
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, first, NULL);
  pthread_create(&b, NULL, second, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  int last_x = atomic_load_explicit(&x, memory_order_relaxed);
  int last_y = atomic_load_explicit(&y, memory_order_relaxed);
  assert(!(last_x == 1 && last_y == 1));  // @first_won
  (void)last_x;
  (void)last_y;
  return 0;
}
