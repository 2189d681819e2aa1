// SPDX-License-Identifier: MIT
// SB: each thread stores its own flag, then looks at the other's. Both may miss only if nothing
// orders the store before the load.
//
// case: relaxed
// flags: -DSTORE=relaxed -DLOAD=relaxed
// expect: c++20=violated:assertion x86=violated:assertion sc=holds executions=3 at=both_missed
//
// case: release_acquire
// flags: -DSTORE=release -DLOAD=acquire
// expect: c++20=violated:assertion x86=violated:assertion sc=holds executions=3 at=both_missed
//
// case: only_the_stores_seq_cst
// flags: -DSTORE=seq_cst -DLOAD=acquire
// expect: c++20=violated:assertion x86=holds sc=holds executions=3 at=both_missed
//
// case: only_the_loads_seq_cst
// flags: -DSTORE=release -DLOAD=seq_cst
// expect: c++20=violated:assertion x86=violated:assertion sc=holds executions=3 at=both_missed
//
// case: seq_cst
// flags: -DSTORE=seq_cst -DLOAD=seq_cst
// expect: all=holds executions=3
//
// case: seq_cst_fences
// flags: -DSTORE=relaxed -DLOAD=relaxed -DFENCE=seq_cst
// expect: all=holds executions=3
//
// case: acq_rel_fences
// flags: -DSTORE=relaxed -DLOAD=relaxed -DFENCE=acq_rel
// expect: c++20=violated:assertion x86=violated:assertion sc=holds executions=3 at=both_missed
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#define ORDER_(name) memory_order_##name
#define ORDER(name) ORDER_(name)

static atomic_int x, y;
static int saw_y, saw_x;

static void* first(void* unused) {
  (void)unused;
  atomic_store_explicit(&x, 1, ORDER(STORE));
#ifdef FENCE
  atomic_thread_fence(ORDER(FENCE));
#endif
  saw_y = atomic_load_explicit(&y, ORDER(LOAD));
  return NULL;
}

static void* second(void* unused) {
  (void)unused;
  atomic_store_explicit(&y, 1, ORDER(STORE));
#ifdef FENCE
  atomic_thread_fence(ORDER(FENCE));
#endif
  saw_x = atomic_load_explicit(&x, ORDER(LOAD));
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, first, NULL);
  pthread_create(&b, NULL, second, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  assert(saw_y == 1 || saw_x == 1);  // @both_missed
  return 0;
}
