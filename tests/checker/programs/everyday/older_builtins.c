// SPDX-License-Identifier: MIT
// The compiler's own atomics, old and new, and C's operators on _Atomic objects.
//
// case: counters
// expect: all=holds executions=2
//
// case: store_buffering_with_sync_synchronize
// flags: -DSTORE_BUFFERING -DFENCE=__sync_synchronize()
// expect: all=holds executions=3
//
// case: store_buffering_without
// flags: -DSTORE_BUFFERING -DFENCE=(void)0
// expect: c++20=violated:assertion x86=violated:assertion sc=holds executions=3
//
// case: old_spin_lock
// flags: -DSPIN
// expect: all=holds
//
// case: volatile_flag
// flags: -DVOLATILE
// expect: all=violated:data-race
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

int x, y;
static int saw_x, saw_y;
_Atomic int counter;
static volatile int flag;

static void* first(void* unused) {
  (void)unused;
#if defined(STORE_BUFFERING)
  __atomic_store_n(&x, 1, __ATOMIC_RELAXED);
  FENCE;
  saw_y = __atomic_load_n(&y, __ATOMIC_RELAXED);
#elif defined(SPIN)
  while (__sync_lock_test_and_set(&x, 1)) {
  }
  y++;
  __sync_lock_release(&x);
#elif defined(VOLATILE)
  flag = 1;
#else
  counter++;
  __sync_fetch_and_add(&x, 2);
#endif
  return NULL;
}

static void* second(void* unused) {
  (void)unused;
#if defined(STORE_BUFFERING)
  __atomic_store_n(&y, 1, __ATOMIC_RELAXED);
  FENCE;
  saw_x = __atomic_load_n(&x, __ATOMIC_RELAXED);
#elif defined(SPIN)
  first(NULL);
#elif defined(VOLATILE)
  while (!flag) {
  }
#else
  counter += 2;
#endif
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, first, NULL);
  pthread_create(&b, NULL, second, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
#if defined(STORE_BUFFERING)
  assert(saw_x || saw_y);
#elif defined(SPIN)
  assert(y == 2);
#elif !defined(VOLATILE)
  assert(counter == 3 && __sync_bool_compare_and_swap(&x, 2, 3));
#endif
  (void)saw_x;
  (void)saw_y;
  (void)flag;
  return 0;
}
