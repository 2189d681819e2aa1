// SPDX-License-Identifier: MIT
// POSIX spin locks.
//
// case: counter
// expect: all=holds executions=2
//
// case: counter_compiled_by_clang
// options: --cc clang-14
// expect: all=holds executions=2
//
// case: tried_until_it_works
// flags: -DTRY
// expect: all=holds executions=2
//
// case: forgotten
// flags: -DFORGET
// expect: all=violated:deadlock at=lock says="waits for the spin lock lock, held by"
//
// case: locked_twice_by_one_thread
// flags: -DTWICE
// expect: all=violated:deadlock
//
// case: unlocked_by_who_does_not_hold_it
// flags: -DONLY_UNLOCK
// expect: all=violated:memory at=unlock says="does not hold"
//
// case: its_unlock_is_a_plain_store_on_x86
// flags: -DSTORE_BUFFERING
// expect: c++20=violated:assertion x86=violated:assertion sc=holds
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static pthread_spinlock_t lock;
static int counter;
static atomic_int x, y;
static int r0, r1;

static void* work(void* argument) {
  (void)argument;
#if defined(STORE_BUFFERING)
  pthread_spinlock_t own;
  pthread_spin_init(&own, PTHREAD_PROCESS_PRIVATE);
  pthread_spin_lock(&own);
  atomic_store_explicit(argument ? &x : &y, 1, memory_order_relaxed);
  pthread_spin_unlock(&own);
  *(argument ? &r0 : &r1) = atomic_load_explicit(argument ? &y : &x, memory_order_relaxed);
#elif defined(ONLY_UNLOCK)
  pthread_spin_unlock(&lock);  // @unlock
#else
#ifdef TRY
  while (pthread_spin_trylock(&lock) != 0) {
  }
#else
  pthread_spin_lock(&lock);  // @lock
#endif
#ifdef TWICE
  pthread_spin_lock(&lock);
#endif
  counter++;
#ifndef FORGET
  pthread_spin_unlock(&lock);
#endif
#endif
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
  pthread_create(&a, NULL, work, &a);
  pthread_create(&b, NULL, work, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
#if defined(STORE_BUFFERING)
  assert(r0 == 1 || r1 == 1);
#else
  assert(counter == 2);
#endif
  pthread_spin_destroy(&lock);
  return 0;
}
