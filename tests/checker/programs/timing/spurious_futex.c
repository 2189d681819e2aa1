// SPDX-License-Identifier: MIT
// A futex may also wake for nothing.
//
// case: one_look_by_default
// expect: all=holds
//
// case: one_look_with_spurious_wakeups
// options: --spurious
// expect: all=violated:assertion at=early
//
// case: loop_with_spurious_wakeups
// flags: -DLOOP=while
// options: --spurious
// expect: all=holds
//
// case: who_does_not_sleep_has_nothing_to_choose
// flags: -DREADY
// options: --spurious --timeouts
// expect: all=holds executions=1
#include <assert.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#ifndef LOOP
#define LOOP if
#endif

#ifdef READY
static atomic_int ready = 1;
static const struct timespec soon = {1, 0};
#else
static atomic_int ready;
#endif

static void* wait_for_it(void* unused) {
  (void)unused;
#ifdef READY
  syscall(SYS_futex, &ready, FUTEX_WAIT_PRIVATE, 0, &soon, NULL, 0);
#endif
  LOOP(atomic_load(&ready) == 0) {
    syscall(SYS_futex, &ready, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
  }
  assert(atomic_load(&ready) == 1);  // @early
  return NULL;
}

int main(void) {
  pthread_t waiter;
  pthread_create(&waiter, NULL, wait_for_it, NULL);
#ifndef READY
  atomic_store(&ready, 1);
  syscall(SYS_futex, &ready, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
#endif
  pthread_join(waiter, NULL);
  return 0;
}
