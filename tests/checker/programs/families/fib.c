// SPDX-License-Identifier: MIT
// x = x + y in one thread, y = x + y in another, N times each; a third looks at both.
//
// case: one_round
// flags: -DN=1 -DLIMIT=3
// expect: all=holds executions=11
//
// case: one_round_reaches_three
// flags: -DN=1 -DLIMIT=2
// expect: all=violated:assertion at=limit
//
// case: two_rounds
// flags: -DN=2 -DLIMIT=8
// expect: all=holds
//
// case: two_rounds_reach_eight
// flags: -DN=2 -DLIMIT=7
// expect: all=violated:assertion at=limit
//
// case: five_rounds
// flags: -DN=5 -DLIMIT=144
// expect: c++20=holds executions=525630
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifndef N
#define N 2
#endif
#ifndef LIMIT
#define LIMIT 144
#endif

static atomic_int x = 1;
static atomic_int y = 1;

static int sum(void) {
  int left = atomic_load_explicit(&x, memory_order_acquire);
  int right = atomic_load_explicit(&y, memory_order_acquire);
  return left + right;
}

static void* grow_x(void* unused) {
  (void)unused;
  for (int i = 0; i < N; i++) atomic_store_explicit(&x, sum(), memory_order_release);
  return NULL;
}

static void* grow_y(void* unused) {
  (void)unused;
  for (int i = 0; i < N; i++) atomic_store_explicit(&y, sum(), memory_order_release);
  return NULL;
}

static void* look(void* unused) {
  (void)unused;
  int too_far = atomic_load_explicit(&x, memory_order_acquire) > LIMIT ||
                atomic_load_explicit(&y, memory_order_acquire) > LIMIT;
  assert(!too_far);  // @limit
  return NULL;
}

int main(void) {
  pthread_t threads[3];
  pthread_create(&threads[0], NULL, grow_x, NULL);
  pthread_create(&threads[1], NULL, grow_y, NULL);
  pthread_create(&threads[2], NULL, look, NULL);
  for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
  return 0;
}
