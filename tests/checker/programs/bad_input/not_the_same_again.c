// SPDX-License-Identifier: MIT
// What the program does depends on something that is not put back before an execution: how much the
// C library has yet to print. Each case lets another part of what it does depend on that.
//
// case: the_value_that_is_stored
// flags: -DVALUE
// expect: all=inconclusive at=value says="does not do the same again"
//
// case: the_object_that_is_accessed
// flags: -DOBJECT
// expect: all=inconclusive at=object says="does not do the same again"
//
// case: the_memory_order
// flags: -DORDER
// expect: all=inconclusive at=order says="does not do the same again"
//
// case: the_value_that_is_expected
// flags: -DEXPECTED
// expect: all=inconclusive at=expected says="does not do the same again"
//
// case: the_operation
// flags: -DOPERATION
// expect: all=inconclusive at=operation says="does not do the same again"
//
// case: the_mutex_that_is_locked
// flags: -DMUTEX
// expect: all=inconclusive at=mutex says="does not do the same again"
//
// case: the_thread_that_is_joined
// flags: -DJOIN
// expect: all=inconclusive at=join says="does not do the same again"
//
// case: a_plain_value_where_there_are_atomic_ones
// flags: -DPLAIN_VALUE
// expect: all=inconclusive at=plain_value says="does not do the same again"
//
// case: what_comes_after_the_last_event
// flags: -DLAST
// expect: all=inconclusive says="does not do the same again"
//
// case: a_failure_that_does_not_come_again
// flags: -DFAILS_ONCE
// expect: all=inconclusive says="does not do the same again"
//
// case: nothing_at_all
// expect: all=holds
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

atomic_int x, y, many[64];
int plain[2];
pthread_mutex_t mutexes[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};

// Goes up by one from call to call and from execution to execution: nobody puts back the C
// library's own memory.
int count(void) { return stdout->_unused2[0]++; }

static void* act(void* unused) {
#if defined VALUE
  atomic_store(&x, count());  // @value
#elif defined OBJECT
  atomic_store(&many[count() % 64], 1);                        // @object
#elif defined ORDER
  atomic_store_explicit(                                                  // @order
      &x, 1, count() % 2 ? memory_order_release : memory_order_relaxed);  // @order
#elif defined EXPECTED
  int expected = count();
  atomic_compare_exchange_strong(&x, &expected, 7);  // @expected
#elif defined OPERATION
  if (count() % 2) {
    atomic_store(&x, 1);  // @operation
  } else {
    atomic_fetch_add(&x, 1);  // @operation
  }
#elif defined MUTEX
  pthread_mutex_t* mutex = &mutexes[count() % 2];
  pthread_mutex_lock(mutex);  // @mutex
  pthread_mutex_unlock(mutex);
#elif defined PLAIN_VALUE
  atomic_exchange(&x, 1);
  *(int*)&x = count();  // @plain_value
#elif defined LAST
  atomic_store(&x, 1);
  plain[count() % 2] = 1;
#elif defined FAILS_ONCE
  atomic_store(&x, 1);
  assert(++stdout->_vtable_offset > 1);  // it is in the library, and nobody uses it
#else
#ifndef JOIN
  count();
#endif
  atomic_store(&x, 1);
#endif
  return unused;
}

static void* look(void* unused) {
  atomic_store(&y, 1);
#ifndef PLAIN_VALUE
  atomic_load(&x);
  atomic_load(&many[1]);
#endif
  pthread_mutex_lock(&mutexes[0]);
  pthread_mutex_unlock(&mutexes[0]);
  return unused;
}

int main(void) {
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, act, NULL);
  pthread_create(&threads[1], NULL, look, NULL);
#ifdef JOIN
  pthread_join(threads[count() % 2], NULL);  // @join
#else
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);  // @plain_value
#endif
  atomic_load(&y);
  return 0;
}
