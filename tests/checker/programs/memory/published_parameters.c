// SPDX-License-Identifier: MIT
// A parameter is written as its function begins: who is told its address by a store that publishes
// nothing reads it in a race with that.
//
// case: a_word
// flags: -DORDER=memory_order_relaxed
// expect: all=data-race
//
// case: a_word_at_O0
// flags: -DORDER=memory_order_relaxed -O0
// expect: all=data-race
//
// case: a_word_inlined
// flags: -DORDER=memory_order_relaxed -DINLINED -O2
// expect: all=data-race
//
// case: a_word_that_is_published
// flags: -DORDER=memory_order_release
// expect: all=holds executions=2
//
// case: a_struct
// flags: -DORDER=memory_order_relaxed -DSTRUCT
// expect: all=data-race
//
// case: a_struct_that_is_published
// flags: -DORDER=memory_order_release -DSTRUCT
// expect: all=holds executions=2
//
// case: a_word_by_clang
// flags: -DORDER=memory_order_relaxed
// options: --cc clang-14
// expect: all=data-race
//
// case: a_struct_by_clang
// flags: -DORDER=memory_order_relaxed -DSTRUCT
// options: --cc clang-14
// expect: all=data-race
//
// case: a_struct_by_clang_at_O0
// flags: -DORDER=memory_order_relaxed -DSTRUCT -O0
// options: --cc clang-14
// expect: all=data-race
//
// case: a_struct_that_is_published_by_clang
// flags: -DORDER=memory_order_release -DSTRUCT
// options: --cc clang-14
// expect: all=holds executions=2
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifdef INLINED
#define HOW always_inline
#else
#define HOW noinline
#endif

struct several {
  int first, more[5];
};

static _Atomic(const int*) published;
static pthread_t other;

static void* look(void* nothing) {
  const int* const found = atomic_load_explicit(&published, memory_order_acquire);
  return found != NULL && *found != 5 ? &other : nothing;
}

static int wrong(void) {
  void* told = NULL;
  pthread_join(other, &told);
  return told != NULL;
}

#ifdef STRUCT
__attribute__((HOW)) static inline int tell(struct several all) {
  atomic_store_explicit(&published, &all.first, ORDER);
  return wrong();
}
#else
__attribute__((HOW)) static inline int tell(int word) {
  atomic_store_explicit(&published, &word, ORDER);
  return wrong();
}
#endif

int main(void) {
  static volatile int five = 5;
  pthread_create(&other, NULL, look, NULL);
#ifdef STRUCT
  const struct several all = {five, {0}};
  return tell(all);
#else
  return tell(five);
#endif
}
