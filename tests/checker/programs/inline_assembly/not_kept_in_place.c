// SPDX-License-Identifier: MIT
// A compiler moves accesses across inline assembly that does not say that it accesses memory, and
// takes what is not volatile out of loops: such programs fail natively.
//
// case: a_lock_whose_exchange_says_nothing_of_memory
// flags: -DLOCK -DTOLD=
// expect: all=inconclusive at=exchange says="may move it or other accesses across it"
//
// case: a_lock_whose_exchange_says_it
// flags: -DLOCK '-DTOLD=:"memory"'
// expect: all=holds
//
// case: a_load_that_is_not_volatile
// flags: -DLOAD -DKEPT=
// expect: all=inconclusive at=load says="may move it or other accesses across it"
//
// case: a_load_that_is_volatile_and_says_nothing
// flags: -DLOAD -DKEPT=volatile -DTOLD=
// expect: all=holds
//
// case: a_load_that_is_volatile_orders_nothing
// flags: -DLOAD -DDATA -DKEPT=volatile -DTOLD=
// options: --cc gcc
// expect: all=violated:data-race
//
// case: a_load_that_stays_orders_what_comes_after_it
// flags: -DLOAD -DDATA -DKEPT=volatile '-DTOLD=:"memory"'
// expect: all=holds
//
// case: a_load_that_stays
// flags: -DLOAD -DKEPT=volatile '-DTOLD=:"memory"'
// expect: all=holds
//
// case: memory_that_is_named_in_the_text
// flags: -DLOAD -DNAMED -DKEPT=volatile -DTOLD=
// options: --cc gcc
// expect: all=inconclusive at=load says="may move it or other accesses across it"
//
// case: memory_that_is_named_in_the_text_and_said
// flags: -DLOAD -DNAMED -DKEPT=volatile '-DTOLD=:"memory"'
// expect: all=holds
//
// case: memory_that_is_named_in_a_text_that_is_not_volatile
// flags: -DLOAD -DNAMED -DKEPT= -DTOLD=
// expect: all=inconclusive at=load says="may move it or other accesses across it"
//
// case: a_computation_needs_neither
// flags: -DCOMPUTES
// expect: all=holds
//
// case: nothing_is_no_fence_and_gcc_checks_its_tables
// flags: -DCOMPUTES -DNOTHING -fchecking
// options: --cc gcc
// expect: all=holds
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef TOLD
#define TOLD
#endif

#ifndef LOAD
static int data;

#ifdef LOCK
static int word;

static int exchange(int* at, int value) {
#ifdef __x86_64__
  __asm__ volatile("xchgl %0, (%1)" : "+r"(value) : "r"(at)TOLD);  // @exchange
#else
  int old;
  __asm__ volatile("swpal %w1, %w0, [%2]" : "=r"(old) : "r"(value), "r"(at)TOLD);  // @exchange
  value = old;
#endif
  return value;
}
#endif

static void* count(void* unused) {
#ifdef LOCK
  while (exchange(&word, 1) != 0) {
  }
  ++data;
  exchange(&word, 0);
#else
  int more = 1;
  __asm__("# %0" : "+r"(more));
#ifdef NOTHING
  __asm__ volatile("");
#endif
  __atomic_fetch_add(&data, more, __ATOMIC_RELAXED);
#endif
  return unused;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, count, 0);
  count(0);
  pthread_join(t, 0);
  assert(data == 2);
}
#else
int flag;  // named by assembly
#ifdef DATA
static int data;
#endif

static void* set(void* unused) {
#ifdef DATA
  data = 1;
#endif
  __atomic_store_n(&flag, 1, __ATOMIC_RELEASE);
  return unused;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, set, 0);
  int found;
  do {
#ifdef NAMED
    __asm__ KEPT("movl flag, %0" : "=r"(found) : TOLD);  // @load
#elif defined __x86_64__
    __asm__ KEPT("movl %1, %0" : "=r"(found) : "m"(flag)TOLD);  // @load
#else
    __asm__ KEPT("ldr %w0, %1" : "=r"(found) : "m"(flag)TOLD);  // @load
#endif
  } while (found == 0);
#ifdef DATA
  assert(data == 1);
#endif
  pthread_join(t, 0);
}
#endif
