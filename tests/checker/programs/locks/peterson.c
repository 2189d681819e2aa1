// SPDX-License-Identifier: MIT
// Peterson's lock: two flags and a turn; needs store-load order on both sides.
//
// case: seq_cst
// flags: -DSTORE=seq_cst -DLOAD=seq_cst
// expect: all=holds
//
// case: release_acquire
// flags: -DSTORE=release -DLOAD=acquire
// expect: c++20=violated:data-race x86=violated:data-race sc=holds at=race
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#define ORDER_(name) memory_order_##name
#define ORDER(name) ORDER_(name)

static atomic_int wants[2];
// Not static: clang 14 makes a local variable of a static object that one function alone names,
// and each thread then has a turn of its own.
atomic_int turn;
static int counter;

static void* add_one(void* argument) {
  int me = (int)(intptr_t)argument;
  int other = 1 - me;
  atomic_store_explicit(&wants[me], 1, ORDER(STORE));
  atomic_store_explicit(&turn, other, ORDER(STORE));
  while (atomic_load_explicit(&wants[other], ORDER(LOAD)) &&
         atomic_load_explicit(&turn, ORDER(LOAD)) == other)
    ;
  counter++;  // @race
  atomic_store_explicit(&wants[me], 0, ORDER(STORE));
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, add_one, (void*)0);
  pthread_create(&b, NULL, add_one, (void*)1);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  assert(counter == 2);
  return 0;
}
