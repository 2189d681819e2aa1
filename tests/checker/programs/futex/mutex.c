// SPDX-License-Identifier: MIT
// Drepper's futex mutex: 0 free, 1 taken, 2 taken and perhaps waited for.
//
// case: three_states
// expect: all=holds
//
// case: spins_before_it_sleeps
// flags: -DSPINS=2
// expect: all=holds
//
// case: three_threads
// flags: -DTHREADS=3
// expect: all=holds
// expect: sc=holds executions=1656
//
// case: unlock_forgets_to_wake
// flags: -DNO_WAKE
// expect: all=violated:lost-wakeup at=sleep
//
// case: waiter_takes_it_as_uncontended
// flags: -DTHREADS=3 -DTAKE=1
// expect: all=violated:lost-wakeup at=sleep
//
// case: relaxed_unlock
// flags: -DUNLOCK=relaxed
// expect: all=violated:data-race at=race
#include <assert.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef THREADS
#define THREADS 2
#endif
#ifndef SPINS
#define SPINS 0
#endif
#ifndef TAKE
#define TAKE 2
#endif
#ifndef UNLOCK
#define UNLOCK release
#endif
#define ORDER_(name) memory_order_##name
#define ORDER(name) ORDER_(name)

static atomic_int state;
static int counter;

static void lock(void) {
  for (int i = 0; i <= SPINS; i++) {
    int unlocked = 0;
    if (atomic_compare_exchange_strong_explicit(&state, &unlocked, 1, memory_order_acquire,
                                                memory_order_relaxed)) {
      return;
    }
  }
#if TAKE == 2
  while (atomic_exchange_explicit(&state, 2, memory_order_acquire) != 0) {
    syscall(SYS_futex, &state, FUTEX_WAIT_PRIVATE, 2, NULL, NULL, 0);  // @sleep
  }
#else
  for (;;) {
    int seen = 0;
    if (atomic_compare_exchange_strong_explicit(&state, &seen, TAKE, memory_order_acquire,
                                                memory_order_relaxed)) {
      return;
    }
    if (seen == 2 || atomic_compare_exchange_strong_explicit(&state, &seen, 2, memory_order_relaxed,
                                                             memory_order_relaxed)) {
      syscall(SYS_futex, &state, FUTEX_WAIT_PRIVATE, 2, NULL, NULL, 0);  // @sleep
    }
  }
#endif
}

static void unlock(void) {
  int before = atomic_exchange_explicit(&state, 0, ORDER(UNLOCK));
#ifdef NO_WAKE
  (void)before;
#else
  if (before == 2) syscall(SYS_futex, &state, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
#endif
}

static void* add_one(void* unused) {
  (void)unused;
  lock();
  counter++;  // @race
  unlock();
  return NULL;
}

int main(void) {
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, add_one, NULL);
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
  assert(counter == THREADS);
  return 0;
}
