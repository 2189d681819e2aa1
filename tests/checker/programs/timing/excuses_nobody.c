// SPDX-License-Identifier: MIT
// A thread waits with a time limit, again and again, beside others. It goes on in time and is not
// to blame; but who is stuck whatever it does is stuck. Where its next look would show something
// newer there is another execution in which it times out later. Where it would not, and others
// sleep or wait for it, nobody knows what it does after more time-outs than are explored.
//
// case: all_is_well
// options: --timeouts
// expect: all=holds
//
// case: a_deadlock
// flags: -DDEADLOCK
// options: --timeouts
// expect: all=violated:deadlock at=second
//
// case: a_deadlock_and_three_time_outs
// flags: -DDEADLOCK
// options: --timeouts=3
// expect: all=violated:deadlock at=second
//
// case: a_deadlock_and_a_semaphore
// flags: -DDEADLOCK -DSEMAPHORE
// options: --timeouts
// expect: all=violated:deadlock at=second
//
// case: a_join_of_who_waits_for_a_lock_that_its_holder_took_along
// flags: -DTAKEN_ALONG
// options: --timeouts
// expect: all=violated:deadlock at=first
//
// case: nobody_tells_it_but_it_looks_again
// flags: -DUNTOLD
// options: --timeouts
// expect: all=holds
//
// case: a_semaphore_that_is_never_posted_but_it_looks_again
// flags: -DUNTOLD -DSEMAPHORE
// options: --timeouts
// expect: all=holds
//
// Two who poll under one lock: each of them has looked before the other did.
// case: two_of_them_and_a_deadlock
// flags: -DDEADLOCK -DWAITERS=2
// options: --timeouts
// expect: all=violated:deadlock at=second
//
// The wake-up is lost, but who waits with a limit may make up for it.
// case: a_lost_wakeup_of_somebody_else
// flags: -DLOST_WAKEUP
// options: --timeouts
// expect: all=inconclusive says="T1 times out as often as --timeouts=1"
//
// case: it_polls_for_ever
// flags: -DNOBODY_STOPS
// options: --timeouts
// expect: all=inconclusive says="no execution comes to its end: in the first main joins another"
//
// case: it_gives_up_in_the_end
// flags: -DNOBODY_STOPS -DGIVES_UP
// options: --timeouts=3
// expect: all=holds
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

#ifndef WAITERS
#define WAITERS 1
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, a = PTHREAD_MUTEX_INITIALIZER,
                       b = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t stops = PTHREAD_COND_INITIALIZER, changed = PTHREAD_COND_INITIALIZER;
static sem_t tick;
static int stop, told;

static void wait_with_limit(void) {
  const struct timespec limit = {2000000000, 0};
#ifdef SEMAPHORE
  pthread_mutex_unlock(&lock);
  sem_timedwait(&tick, &limit);
  pthread_mutex_lock(&lock);
#else
  pthread_cond_timedwait(&stops, &lock, &limit);
#endif
}

static void* wait_for_stop(void* unused) {
  pthread_mutex_lock(&lock);
  for (int i = 0; !stop; i++) {
#ifdef GIVES_UP
    if (i == 3) break;
#endif
    wait_with_limit();
  }
  pthread_mutex_unlock(&lock);
  return unused;
}

static void* other(void* unused) {
#ifdef LOST_WAKEUP
  pthread_mutex_lock(&a);
  told = 1;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&a);
#elif defined DEADLOCK
  pthread_mutex_lock(&b);
  pthread_mutex_lock(&a);
  pthread_mutex_unlock(&a);
  pthread_mutex_unlock(&b);
#elif defined TAKEN_ALONG
  pthread_mutex_lock(&a);
#endif
  return unused;
}

int main(void) {
  sem_init(&tick, 0, 0);
  pthread_t waiters[WAITERS], t;
  for (int i = 0; i < WAITERS; i++) pthread_create(&waiters[i], 0, wait_for_stop, 0);
  pthread_create(&t, 0, other, 0);
  pthread_mutex_lock(&a);  // @first
#ifdef LOST_WAKEUP
  pthread_cond_wait(&changed, &a);
#else
  pthread_mutex_lock(&b);  // @second
  pthread_mutex_unlock(&b);
#endif
  pthread_mutex_unlock(&a);
  pthread_join(t, 0);
#ifndef NOBODY_STOPS
  pthread_mutex_lock(&lock);
  stop = 1;
#ifndef UNTOLD
  for (int i = 0; i < WAITERS; i++) sem_post(&tick);
  pthread_cond_broadcast(&stops);
#endif
  pthread_mutex_unlock(&lock);
#endif
  for (int i = 0; i < WAITERS; i++) pthread_join(waiters[i], 0);
}
