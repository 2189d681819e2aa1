// SPDX-License-Identifier: MIT
// What atexit and on_exit have registered is called by the thread that ends the process, the last
// first.
//
// case: last_registered_first_also_by_handlers_and_before_main
// flags: -DNESTED -DBEFORE
// expect: all=holds executions=1
//
// case: in_the_order_of_registration
// flags: -DWRONG
// expect: all=violated:assertion at=order
//
// case: quick_exit_calls_its_own
// flags: -DQUICK -DWRONG
// expect: all=violated:assertion at=order
//
// case: nothing_after_the_underscore
// flags: -DAT_ONCE
// expect: all=holds executions=1
//
// case: destructor_functions_come_last
// flags: -DATTRIBUTE
// expect: all=violated:assertion at=last
//
// case: on_exit_learns_what_main_returns
// flags: -DSTATUS=3
// options: --any-exit-status
// expect: all=holds executions=1
//
// case: on_exit_learns_what_exit_is_given
// flags: -DSTATUS=4 -DEXIT
// expect: all=violated:assertion at=status
//
// case: exit_within_a_handler
// flags: -DTWICE
// expect: all=violated:memory says="ends the process already"
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static int called;

static void first(void) {
#ifdef WRONG
  assert(called == 2);  // @order
#else
  assert(called == 1);
#endif
  called = 2;
}

static void second(void) {
#ifdef NESTED
  assert(called == 3);
#else
  assert(called == 0);
#endif
  called = 1;
#ifdef TWICE
  exit(1);
#endif
}

#ifdef NESTED
static void third(void) {
  assert(called == 0);
  called = 3;
  atexit(second);
}
#endif

#ifdef ATTRIBUTE
__attribute__((destructor)) static void last(void) {
  assert(called != 2);  // @last
}
#endif

static void never(void) { assert(0); }

#ifdef STATUS
static int argument = 7;

static void by_status(int status, void* given) {
  assert(called == 2);
  assert(status == 3);  // @status
  assert(given == &argument && *(int*)given == 7);
}
#endif

#ifdef BEFORE
__attribute__((constructor)) static void before_main(void) { atexit(first); }
#endif

int main(void) {
#if defined(QUICK)
  atexit(never);
  at_quick_exit(first);
  at_quick_exit(second);
  quick_exit(0);
#elif defined(AT_ONCE)
  atexit(never);
  at_quick_exit(never);
  _exit(0);
#else
  at_quick_exit(never);
  pthread_atfork(never, never, never);
#ifdef STATUS
  on_exit(by_status, &argument);
#endif
#ifndef BEFORE
  atexit(first);
#endif
#ifdef NESTED
  atexit(third);
#else
  atexit(second);
#endif
#endif
#ifdef EXIT
  exit(STATUS);
#elif defined(STATUS)
  return STATUS;
#endif
  return 0;
}
