// SPDX-License-Identifier: MIT
// Two threads each raise a hand and then look whether the other did. Surely one of them sees a
// hand? Under sequential consistency, yes; on x86 and in C, not with these orders.
//
//   $ ./fencepost check --model sc examples/checker/both_saw_nothing.c
//   holds under sc: 3 executions
//
//   $ ./fencepost check --model x86,c++20 examples/checker/both_saw_nothing.c
//   violated under x86
//   assertion at examples/checker/both_saw_nothing.c
//   violated under c++20
//   assertion at examples/checker/both_saw_nothing.c
//
// A sequentially consistent fence between raising and looking repairs both:
//
//   $ ./fencepost check --model sc,x86,c++20 examples/checker/both_saw_nothing.c -- -DFENCE
//   holds under sc: 3 executions
//   holds under x86: 3 executions
//   holds under c++20: 3 executions
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int mine, yours;
static int i_saw, you_saw;

static void raise_and_look(atomic_int* own, atomic_int* other, int* saw) {
  atomic_store_explicit(own, 1, memory_order_release);
#ifdef FENCE
  atomic_thread_fence(memory_order_seq_cst);
#endif
  *saw = atomic_load_explicit(other, memory_order_acquire);
}

static void* me(void* unused) {
  (void)unused;
  raise_and_look(&mine, &yours, &i_saw);
  return NULL;
}

static void* you(void* unused) {
  (void)unused;
  raise_and_look(&yours, &mine, &you_saw);
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, me, NULL);
  pthread_create(&b, NULL, you, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  assert(i_saw || you_saw);
  return 0;
}
