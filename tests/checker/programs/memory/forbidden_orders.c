// SPDX-License-Identifier: MIT
// Orders the standard forbids: a store that acquires, a load that releases.
//
// case: store_acquire
// flags: -DSTORE=acquire -DLOAD=relaxed
// expect: all=violated:invalid-order at=store says="acquire"
//
// case: store_acq_rel
// flags: -DSTORE=acq_rel -DLOAD=relaxed
// expect: all=violated:invalid-order at=store says="acq_rel"
//
// case: load_release
// flags: -DSTORE=relaxed -DLOAD=release
// expect: all=violated:invalid-order at=load says="release"
//
// case: load_acq_rel
// flags: -DSTORE=relaxed -DLOAD=acq_rel
// expect: all=violated:invalid-order at=load says="acq_rel"
//
// case: compare_exchange_fails_with_release
// flags: -DSTORE=relaxed -DLOAD=relaxed -DFAILURE=release
// expect: all=violated:invalid-order at=cas says="release"
//
// case: allowed
// flags: -DSTORE=release -DLOAD=acquire
// expect: all=holds executions=1
#include <stdatomic.h>

#ifndef FAILURE
#define FAILURE relaxed
#endif
#define ORDER_(name) memory_order_##name
#define ORDER(name) ORDER_(name)

static atomic_int x;

int main(void) {
  memory_order storing = ORDER(STORE);
  memory_order loading = ORDER(LOAD);
  memory_order failing = ORDER(FAILURE);
  int expected = 3;
  atomic_store_explicit(&x, 1, storing);                                   // @store
  int seen = atomic_load_explicit(&x, loading);                            // @load
  atomic_compare_exchange_strong_explicit(&x, &expected, 4,                // @cas
                                          memory_order_acq_rel, failing);  // @cas
  return seen != 1;
}
