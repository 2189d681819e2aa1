// SPDX-License-Identifier: MIT
// A thread that is to assume what does not hold goes no further, and that execution does not count;
// the others go on, for what they write may be what it should have read.
//
// A spin loop of which only the last round is of interest: what was written before has been seen.
// case: a_message_passed
// flags: -DMESSAGE -DORDER=memory_order_release
// expect: all=holds executions=1
//
// case: a_message_passed_relaxed
// flags: -DMESSAGE -DORDER=memory_order_relaxed
// expect: all=violated:data-race at=look
//
// Both read 0: not if that is not to be.
// case: store_buffering
// flags: -DBUFFERING
// expect: c++20=violated:assertion x86=violated:assertion sc=holds at=judged
//
// case: store_buffering_where_one_is_seen
// flags: -DBUFFERING -DSEEN
// expect: all=holds
//
// Of six attempts those that succeed: each order of the threads once.
// case: attempts_that_succeed
// flags: -DATTEMPTS
// expect: all=holds executions=6
//
// case: attempts_of_identical_threads
// flags: -DATTEMPTS
// options: --symmetry
// expect: all=holds executions=1
//
// Who waits for a thread that has been stopped is not lost.
// case: others_wait
// flags: -DOTHERS_WAIT
// expect: all=holds executions=1
//
// case: others_wait_for_a_lock
// flags: -DLOCKED
// expect: all=holds
//
// What another thread does wrong may have come before.
// case: another_goes_wrong
// flags: -DANOTHER
// expect: all=violated:assertion at=wrong
//
// ... but not what it does once it has been told that this one came by.
// case: another_would_go_wrong_later
// flags: -DLATER
// expect: all=holds executions=1
//
// Whom nobody waits for: the process may end first.
// case: a_daemon_would_assume_more
// flags: -DDAEMON
// expect: all=holds executions=2
//
// ... but it has what the others wait for.
// case: a_daemon_holds_a_lock
// flags: -DDAEMON -DLOCKED
// expect: all=holds executions=2
//
// What is found in memory that nobody has written decides.
// case: of_what_nobody_has_written
// flags: -DUNWRITTEN
// expect: all=violated:memory at=unwritten
//
// case: before_main
// flags: -DBEFORE_MAIN
// expect: all=inconclusive at=before says="before main"
//
// case: in_main_before_there_are_threads
// flags: -DMAIN_ALONE
// expect: all=inconclusive at=never
//
// case: none_is_left
// flags: -DNONE
// expect: all=inconclusive at=never
#include <assert.h>
#include <fencepost/instrumentation.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

static atomic_int x, y;
static int data;
static int seen[2];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

#ifndef ORDER
#define ORDER memory_order_seq_cst
#endif

#ifdef BEFORE_MAIN
__attribute__((constructor)) static void before(void) {
  fencepost_check_assume(false);  // @before
}
#endif

static void* one(void* unused) {
  (void)unused;
#ifdef DAEMON
  fencepost_check_daemon();
#endif
#if defined(MESSAGE)
  data = 1;
  atomic_store_explicit(&x, 1, ORDER);
#elif defined(BUFFERING)
  atomic_store_explicit(&x, 1, memory_order_release);
  seen[0] = atomic_load_explicit(&y, memory_order_acquire);
#elif defined(ATTEMPTS)
  int old = atomic_load_explicit(&x, memory_order_relaxed);
  fencepost_check_assume(atomic_compare_exchange_strong_explicit(
      &x, &old, old + 1, memory_order_relaxed, memory_order_relaxed));
#elif defined(OTHERS_WAIT)
  fencepost_check_assume(atomic_load(&x) == 1);
  atomic_store(&y, 1);
#elif defined(LOCKED)
  pthread_mutex_lock(&lock);
  fencepost_check_assume(atomic_load(&x) == 1);
  pthread_mutex_unlock(&lock);
#elif defined(ANOTHER)
  fencepost_check_assume(atomic_load(&x) == 2);
#elif defined(LATER)
  fencepost_check_assume(atomic_load(&x) == 1);
  atomic_store(&y, 1);
#elif defined(DAEMON)
  fencepost_check_assume(atomic_load(&x) == 1);
#elif defined(NONE)
  fencepost_check_assume(atomic_load(&x) == 2);  // @never
#endif
  return NULL;
}

static void* other(void* unused) {
  (void)unused;
#if defined(MESSAGE)
  fencepost_check_assume(atomic_load_explicit(&x, memory_order_acquire) == 1);
  assert(data == 1);  // @look
#elif defined(BUFFERING)
  atomic_store_explicit(&y, 1, memory_order_release);
  seen[1] = atomic_load_explicit(&x, memory_order_acquire);
#ifdef SEEN
  fencepost_check_assume(seen[1] == 1);
#endif
#elif defined(OTHERS_WAIT)
  atomic_store(&x, 1);
  while (atomic_load(&y) == 0) {
  }
#elif defined(LOCKED)
  atomic_store(&x, 1);
  pthread_mutex_lock(&lock);
  pthread_mutex_unlock(&lock);
#elif defined(ANOTHER)
  assert(atomic_load(&x) == 1);  // @wrong
#elif defined(DAEMON)
  atomic_store(&x, 1);
#elif defined(LATER)
  assert(atomic_load(&y) == 0);
  atomic_store(&x, 1);
#endif
  return NULL;
}

int main(void) {
#ifdef UNWRITTEN
  int* const unwritten = malloc(sizeof *unwritten);
  fencepost_check_assume(*unwritten != 0);  // @unwritten
  atomic_store(&x, 1);
  free(unwritten);
#endif
#ifdef MAIN_ALONE
  fencepost_check_assume(atomic_load(&x) == 1);  // @never
#endif
  pthread_t threads[3];
  pthread_create(&threads[0], NULL, one, NULL);
#ifdef ATTEMPTS
  pthread_create(&threads[1], NULL, one, NULL);
  pthread_create(&threads[2], NULL, one, NULL);
  pthread_join(threads[2], NULL);
#else
  pthread_create(&threads[1], NULL, other, NULL);
#endif
#ifdef DAEMON
  pthread_detach(threads[0]);
#else
  pthread_join(threads[0], NULL);
#endif
  pthread_join(threads[1], NULL);
#ifdef ATTEMPTS
  assert(atomic_load(&x) == 3);
#endif
#ifdef BUFFERING
  assert(seen[0] == 1 || seen[1] == 1);  // @judged
#endif
  return 0;
}
