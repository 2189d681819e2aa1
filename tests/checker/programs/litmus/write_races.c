// SPDX-License-Identifier: MIT
// R and S: a race of two writes decides, and a read tells the wrong story.
//
// case: r_relaxed
// flags: -DSHAPE_R -DSTORE=relaxed -DLOAD=relaxed
// expect: c++20=violated:assertion x86=violated:assertion sc=holds executions=3 at=wrong_story
//
// case: r_seq_cst
// flags: -DSHAPE_R -DSTORE=seq_cst -DLOAD=seq_cst
// expect: all=holds executions=3
//
// case: s_relaxed
// flags: -DSTORE=relaxed -DLOAD=relaxed
// expect: c++20=violated:assertion x86=holds sc=holds executions=3 at=wrong_story
//
// case: s_release_acquire
// flags: -DSTORE=release -DLOAD=acquire
// expect: all=holds executions=3
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#define ORDER_(name) memory_order_##name
#define ORDER(name) ORDER_(name)

static atomic_int x, y;
static int saw;

static void* first(void* unused) {
  (void)unused;
#ifdef SHAPE_R
  atomic_store_explicit(&x, 1, ORDER(STORE));
#else
  atomic_store_explicit(&x, 2, ORDER(STORE));
#endif
  atomic_store_explicit(&y, 1, ORDER(STORE));
  return NULL;
}

static void* second(void* unused) {
  (void)unused;
#ifdef SHAPE_R
  atomic_store_explicit(&y, 2, ORDER(STORE));
  saw = atomic_load_explicit(&x, ORDER(LOAD));
#else
  saw = atomic_load_explicit(&y, ORDER(LOAD));
  atomic_store_explicit(&x, 1, ORDER(STORE));
#endif
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, first, NULL);
  pthread_create(&b, NULL, second, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
#ifdef SHAPE_R
  int last = atomic_load_explicit(&y, memory_order_relaxed);
  assert(!(last == 2 && saw == 0));  // @wrong_story
#else
  int last = atomic_load_explicit(&x, memory_order_relaxed);
  assert(!(saw == 1 && last == 2));  // @wrong_story
#endif
  return 0;
}
