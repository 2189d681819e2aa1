// SPDX-License-Identifier: MIT
// The system call to the letter: a wake reaches at most as many as it says, a changed value does
// not sleep, a wake before the sleep is gone, and a bitset wakes only those it has in common.
//
// case: two_sleepers_wake_all
// flags: -DSLEEPERS=2 -DWAKE=INT_MAX
// expect: all=holds
//
// case: two_sleepers_wake_one
// flags: -DSLEEPERS=2 -DWAKE=1
// expect: all=violated:lost-wakeup at=sleep
//
// case: two_sleepers_wake_two
// flags: -DSLEEPERS=2 -DWAKE=2
// expect: all=holds
//
// case: shared_futex
// flags: -DSLEEPERS=1 -DWAKE=1 -DSHARED
// expect: all=holds
//
// case: value_never_changes
// flags: -DSLEEPERS=1 -DWAKE=1 -DSAME_VALUE
// expect: all=violated:lost-wakeup at=sleep
//
// case: bitsets_in_common
// flags: -DSLEEPERS=1 -DWAKE=1 -DWAIT_BITS=6 -DWAKE_BITS=3
// expect: all=holds
//
// case: bitsets_apart
// flags: -DSLEEPERS=1 -DWAKE=1 -DWAIT_BITS=4 -DWAKE_BITS=3
// expect: all=violated:lost-wakeup at=sleep
#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifdef SHARED
#define FLAG 0
#else
#define FLAG FUTEX_PRIVATE_FLAG
#endif

static atomic_int word;

static void* sleep_until_set(void* unused) {
  (void)unused;
  while (atomic_load_explicit(&word, memory_order_acquire) == 0) {
#ifdef WAIT_BITS
    long error = syscall(SYS_futex, &word, FUTEX_WAIT_BITSET | FLAG, 0, NULL, NULL,  // @sleep
                         WAIT_BITS);                                                 // @sleep
#else
    long error = syscall(SYS_futex, &word, FUTEX_WAIT | FLAG, 0, NULL, NULL, 0);  // @sleep
#endif
    assert(error == 0 || (error == -1 && errno == EAGAIN));
#ifdef SAME_VALUE
    return NULL;
#endif
  }
  return NULL;
}

int main(void) {
  pthread_t sleepers[SLEEPERS];
  for (int i = 0; i < SLEEPERS; i++) pthread_create(&sleepers[i], NULL, sleep_until_set, NULL);
#ifndef SAME_VALUE
  atomic_store_explicit(&word, 1, memory_order_release);
#endif
#ifdef WAKE_BITS
  long woken = syscall(SYS_futex, &word, FUTEX_WAKE_BITSET | FLAG, WAKE, NULL, NULL, WAKE_BITS);
#else
  long woken = syscall(SYS_futex, &word, FUTEX_WAKE | FLAG, WAKE, NULL, NULL, 0);
#endif
  assert(woken >= 0 && woken <= WAKE && woken <= SLEEPERS);
  for (int i = 0; i < SLEEPERS; i++) pthread_join(sleepers[i], NULL);
  return 0;
}
