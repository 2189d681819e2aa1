// SPDX-License-Identifier: MIT
// A variable of a thread's own lives as long as the thread: whoever uses it later uses what has
// ended, and whoever might do so too late is told as well. Who is done before the thread ends is
// not.
//
// case: read_after_the_end
// flags: -DLATE
// expect: all=memory at=use
//
// case: atomic_after_the_end
// flags: -DLATE -DATOMIC
// expect: all=memory at=use
//
// case: nothing_waits_for_the_other
// flags: -DUNORDERED -DATOMIC
// expect: all=memory
//
// case: waits_for_the_other
// flags: -DORDERED
// expect: all=holds
//
// case: waits_for_the_other_atomic
// flags: -DORDERED -DATOMIC
// expect: all=holds
//
// case: waits_without_order
// flags: -DORDERED -DATOMIC -DORDER=memory_order_relaxed
// expect: c++20=memory
//
// case: thread_local_after_the_end
// flags: -DLATE -DOWN=static\ _Thread_local
// expect: all=memory at=use
//
// case: thread_local_and_waits
// flags: -DORDERED -DOWN=static\ _Thread_local
// expect: all=holds
//
// case: thread_local_and_waits_without_order
// flags: -DORDERED -DATOMIC -DORDER=memory_order_relaxed -DOWN=static\ _Thread_local
// expect: c++20=memory
//
// case: of_main
// flags: -DMAIN
// expect: all=holds
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifdef ATOMIC
typedef atomic_int number;
#else
typedef int number;
#endif
#ifndef OWN
#define OWN
#endif
#ifndef ORDER
#define ORDER memory_order_release
#endif

static _Atomic(number*) published;
static atomic_int done;

static int use(number* n) {
#ifdef ATOMIC
  return atomic_load_explicit(n, memory_order_relaxed);  // @use
#else
  return *n;  // @use
#endif
}

static void* lend(void* nothing) {
  OWN number own = 1;
  atomic_store(&published, &own);
#ifdef ORDERED
  while (atomic_load(&done) == 0) {
  }
#endif
  return nothing;
}

static void* borrow(void* of) {
  use(of);
  return NULL;
}

int main(void) {
  pthread_t other;
#ifdef MAIN
  number own = 2;
  pthread_create(&other, NULL, borrow, &own);
  (void)lend;
#else
  pthread_create(&other, NULL, lend, NULL);
  (void)borrow;
#endif
#ifdef LATE
  pthread_join(other, NULL);
#endif
#ifndef MAIN
  number* const its = atomic_load(&published);
  if (its != NULL) {
    use(its);
    atomic_store_explicit(&done, 1, ORDER);
  } else {
    atomic_store(&done, 1);
  }
#endif
#ifndef LATE
  pthread_join(other, NULL);
#endif
  return 0;
}
