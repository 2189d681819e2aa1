// SPDX-License-Identifier: MIT
// Several threads end the process, and nothing is registered for that: the one that is first has
// its status seen, and each may be.
//
// case: a_thread_before_main_returns
// flags: -DTHREAD=exit(3) -DMAIN=0
// expect: all=violated:exit-status says="exit status 3"
//
// case: main_returns_before_a_thread_exits
// flags: -DTHREAD=exit(0) -DMAIN=4
// expect: all=violated:exit-status says="exit status 4"
//
// case: the_thread_that_is_made_first
// flags: -DTHREAD=exit(3) -DOTHER=exit(0)
// expect: all=violated:exit-status says="exit status 3"
//
// case: the_thread_that_is_made_last
// flags: -DTHREAD=exit(0) -DOTHER=exit(3)
// expect: all=violated:exit-status says="exit status 3"
//
// case: by_quick_exit
// flags: -DTHREAD=quick_exit(3) -DMAIN_EXITS=quick_exit(0)
// expect: all=violated:exit-status says="exit status 3"
//
// case: by_different_functions
// flags: -DTHREAD=quick_exit(0) -DMAIN_EXITS=exit(5)
// expect: all=violated:exit-status says="exit status 5"
//
// case: one_saw_what_the_other_did_before
// flags: -DTHREAD=(seen=1,exit(0)) -DMAIN=(seen?4:0)
// expect: all=violated:exit-status says="exit status 4"
//
// case: both_are_well
// flags: -DTHREAD=exit(0) -DMAIN=0
// expect: all=holds
//
// case: whatever_it_is
// flags: -DTHREAD=exit(3) -DMAIN=0
// options: --any-exit-status
// expect: all=holds
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

atomic_int seen;

static void* work(void* unused) {
  THREAD;
  return unused;
}

#ifdef OTHER
static void* other(void* unused) {
  OTHER;
  return unused;
}
#endif

int main(void) {
  pthread_t worker;
  pthread_create(&worker, NULL, work, NULL);
#ifdef OTHER
  pthread_t another;
  pthread_create(&another, NULL, other, NULL);
  pthread_join(worker, NULL);
  pthread_join(another, NULL);
  return 0;
#elif defined(MAIN_EXITS)
  MAIN_EXITS;
#else
  return MAIN;
#endif
}
