// SPDX-License-Identifier: MIT
// LB: a cycle of program order and reads-from, which the checker's c++20 model leaves out.
//
// case: relaxed
// expect: all=holds executions=3
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int x, y;
static int saw_x, saw_y;

static void* first(void* unused) {
  (void)unused;
  saw_x = atomic_load_explicit(&x, memory_order_relaxed);
  atomic_store_explicit(&y, 1, memory_order_relaxed);
  return NULL;
}

static void* second(void* unused) {
  (void)unused;
  saw_y = atomic_load_explicit(&y, memory_order_relaxed);
  atomic_store_explicit(&x, 1, memory_order_relaxed);
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, first, NULL);
  pthread_create(&b, NULL, second, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  assert(!(saw_x == 1 && saw_y == 1));
  return 0;
}
