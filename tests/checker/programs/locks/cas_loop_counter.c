// SPDX-License-Identifier: MIT
// A counter raised by compare-exchange loops, as written everywhere.
//
// case: strong
// expect: all=holds
//
// case: weak
// flags: -DWEAK
// expect: all=holds
//
// case: weak_that_may_fail_for_no_reason
// flags: -DWEAK
// options: --weak-cas
// expect: all=holds
//
// case: one_weak_attempt
// flags: -DWEAK -DONCE
// expect: all=holds
//
// case: one_weak_attempt_that_may_fail_for_no_reason
// flags: -DWEAK -DONCE
// options: --weak-cas
// expect: all=violated:assertion at=total
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int counter;

static _Bool try_to_raise(int* seen) {
#ifdef WEAK
  return atomic_compare_exchange_weak_explicit(&counter, seen, *seen + 1, memory_order_relaxed,
                                               memory_order_relaxed);
#else
  return atomic_compare_exchange_strong_explicit(&counter, seen, *seen + 1, memory_order_relaxed,
                                                 memory_order_relaxed);
#endif
}

static void* add_one(void* unused) {
  (void)unused;
  int seen = atomic_load_explicit(&counter, memory_order_relaxed);
#ifdef ONCE
  if (!try_to_raise(&seen)) atomic_fetch_add_explicit(&counter, 2, memory_order_relaxed);
#else
  while (!try_to_raise(&seen))
    ;
#endif
  return NULL;
}

int main(void) {
#ifdef ONCE
  add_one(NULL);
  assert(atomic_load(&counter) == 1);  // @total
#else
  pthread_t a, b;
  pthread_create(&a, NULL, add_one, NULL);
  pthread_create(&b, NULL, add_one, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  assert(atomic_load(&counter) == 2);
#endif
  return 0;
}
