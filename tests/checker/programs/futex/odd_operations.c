// SPDX-License-Identifier: MIT
// What the kernel makes of futex operations that many get wrong. It takes the number to be woken
// with its sign and counts after it has woken one: -1 is not "all", and 0 not "none". A word has
// one queue of those that wait by the private flag, and another of those without it. Only waits by
// a bit set may name CLOCK_REALTIME.
//
// case: minus_one_wakes_one
// flags: -DSLEEPERS=2 -DMOST=-1
// expect: all=violated:lost-wakeup at=sleep
//
// case: no_int_is_taken_for_one
// flags: -DSLEEPERS=2 -DMOST=0xffffffffL
// expect: all=violated:lost-wakeup at=sleep
//
// case: what_no_int_holds_is_cut
// flags: -DSLEEPERS=2 -DMOST=LONG_MAX
// expect: all=violated:lost-wakeup at=sleep
//
// case: the_largest_int_wakes_all
// flags: -DSLEEPERS=2 -DMOST=INT_MAX
// expect: all=holds
//
// case: zero_wakes_one
// flags: -DSLEEPERS=1 -DMOST=0
// expect: all=holds
//
// case: zero_says_that_it_woke_nobody
// flags: -DSLEEPERS=1 -DMOST=0 -DASSERT=(woken==0)
// expect: all=violated:assertion
//
// case: a_shared_wake_up_reaches_nobody_private
// flags: -DSLEEPERS=1 -DMOST=1 -DWAKE=FUTEX_WAKE
// expect: all=violated:lost-wakeup at=sleep
//
// case: a_private_wake_up_reaches_nobody_shared
// flags: -DSLEEPERS=1 -DMOST=1 -DWAIT=FUTEX_WAIT
// expect: all=violated:lost-wakeup at=sleep
//
// case: both_are_shared
// flags: -DSLEEPERS=1 -DMOST=1 -DWAIT=FUTEX_WAIT -DWAKE=FUTEX_WAKE
// expect: all=holds
//
// case: a_wake_up_names_a_clock
// flags: -DSLEEPERS=1 -DMOST=1 -DWAKE=(FUTEX_WAKE_PRIVATE|FUTEX_CLOCK_REALTIME)
// expect: all=violated:lost-wakeup at=sleep
//
// case: a_plain_wait_names_a_clock
// flags: -DSLEEPERS=1 -DMOST=1 -DWAIT=(FUTEX_WAIT_PRIVATE|FUTEX_CLOCK_REALTIME)
// expect: all=violated:assertion at=error
//
// case: a_wait_by_a_bit_set_names_a_clock
// flags: -DSLEEPERS=1 -DMOST=1 -DWAIT=(FUTEX_WAIT_BITSET_PRIVATE|FUTEX_CLOCK_REALTIME)
// expect: all=holds
//
// case: what_the_kernel_says_of_a_clock
// flags: -DSLEEPERS=0 -DMOST=1 -DWAKE=(FUTEX_WAKE|FUTEX_CLOCK_REALTIME) -DASSERT=(woken==-1&&errno==ENOSYS)
// expect: all=holds
#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef WAIT
#define WAIT FUTEX_WAIT_PRIVATE
#endif
#ifndef WAKE
#define WAKE FUTEX_WAKE_PRIVATE
#endif
#ifndef ASSERT
#define ASSERT 1
#endif

static atomic_int word;

static void* sleep_until_set(void* unused) {
  while (atomic_load(&word) == 0) {
    const long error = syscall(SYS_futex, &word, WAIT, 0, NULL, NULL, ~0U);  // @sleep
    assert(error == 0 || errno == EAGAIN);                                   // @error
  }
  return unused;
}

int main(void) {
  pthread_t sleepers[SLEEPERS + 1];
  for (int i = 0; i < SLEEPERS; i++) pthread_create(&sleepers[i], NULL, sleep_until_set, NULL);
  atomic_store(&word, 1);
  const long woken = syscall(SYS_futex, &word, WAKE, (long)MOST, NULL, NULL, 0);
  assert(ASSERT);
  (void)woken;
  for (int i = 0; i < SLEEPERS; i++) pthread_join(sleepers[i], NULL);
  return 0;
}
