// SPDX-License-Identifier: MIT
// A thread polls a flag under a lock of any kind, and another program goes on beside it: the round
// changes nothing, so the poller excuses nobody. What it does to the lock itself is no news to it.
//
// case: mutex_and_all_is_well
// flags: -DKIND=0
// expect: all=holds
//
// case: mutex_and_a_deadlock
// flags: -DKIND=0 -DDEADLOCK
// expect: all=violated:deadlock at=second
//
// case: spin_lock_and_all_is_well
// flags: -DKIND=1
// expect: all=holds
//
// case: spin_lock_and_a_deadlock
// flags: -DKIND=1 -DDEADLOCK
// expect: all=violated:deadlock at=second
//
// case: read_lock_and_all_is_well
// flags: -DKIND=2
// expect: all=holds
//
// case: read_lock_and_a_deadlock
// flags: -DKIND=2 -DDEADLOCK
// expect: all=violated:deadlock at=second
//
// case: write_lock_and_all_is_well
// flags: -DKIND=3
// expect: all=holds
//
// case: write_lock_and_a_deadlock
// flags: -DKIND=3 -DDEADLOCK
// expect: all=violated:deadlock at=second
//
// case: read_lock_where_writers_go_first_and_all_is_well
// flags: -DKIND=2 -DWRITERS_FIRST
// expect: all=holds
//
// case: read_lock_where_writers_go_first_and_a_deadlock
// flags: -DKIND=2 -DWRITERS_FIRST -DDEADLOCK
// expect: all=violated:deadlock at=second
//
// case: mutex_that_it_tries_again_and_all_is_well
// flags: -DKIND=4
// expect: all=holds
//
// case: mutex_that_it_tries_again_and_a_deadlock
// flags: -DKIND=4 -DDEADLOCK
// expect: all=violated:deadlock at=second
//
// case: mutex_and_a_lost_wakeup
// flags: -DKIND=0 -DLOST_WAKEUP
// expect: all=violated:lost-wakeup at=sleeps
//
// case: mutex_and_nobody_who_stops_it
// flags: -DKIND=0 -DNOBODY_STOPS
// expect: all=violated:non-termination
//
// case: read_lock_and_a_lost_wakeup
// flags: -DKIND=2 -DLOST_WAKEUP
// expect: all=violated:lost-wakeup at=sleeps
//
// case: read_lock_and_nobody_who_stops_it
// flags: -DKIND=2 -DNOBODY_STOPS
// expect: all=violated:non-termination
//
// case: write_lock_and_a_lost_wakeup
// flags: -DKIND=3 -DLOST_WAKEUP
// expect: all=violated:lost-wakeup at=sleeps
//
// case: write_lock_and_nobody_who_stops_it
// flags: -DKIND=3 -DNOBODY_STOPS
// expect: all=violated:non-termination
//
// case: two_pollers_and_a_deadlock
// flags: -DKIND=2 -DPOLLERS=2 -DDEADLOCK
// expect: all=violated:deadlock at=second
//
// case: two_pollers_and_all_is_well
// flags: -DKIND=2 -DPOLLERS=2
// expect: all=holds
#include <pthread.h>

#ifndef POLLERS
#define POLLERS 1
#endif

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int told, stop;

#if KIND == 0 || KIND == 4
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void look(void) {
  pthread_mutex_lock(&lock);
  if (KIND == 4) pthread_mutex_trylock(&lock);
}
static void change(void) { pthread_mutex_lock(&lock); }
static void leave(void) { pthread_mutex_unlock(&lock); }
static void init(void) {}
#elif KIND == 1
static pthread_spinlock_t lock;
static void look(void) { pthread_spin_lock(&lock); }
static void change(void) { pthread_spin_lock(&lock); }
static void leave(void) { pthread_spin_unlock(&lock); }
static void init(void) { pthread_spin_init(&lock, 0); }
#else
static pthread_rwlock_t lock;
static void look(void) {
  if (KIND == 2) {
    pthread_rwlock_rdlock(&lock);
  } else {
    pthread_rwlock_wrlock(&lock);
  }
}
static void change(void) { pthread_rwlock_wrlock(&lock); }
static void leave(void) { pthread_rwlock_unlock(&lock); }
static void init(void) {
  pthread_rwlockattr_t kind;
  pthread_rwlockattr_init(&kind);
#ifdef WRITERS_FIRST
  pthread_rwlockattr_setkind_np(&kind, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
#endif
  pthread_rwlock_init(&lock, &kind);
}
#endif

static void* poll_stop(void* unused) {
  for (;;) {
    look();
    const int stops = stop;
    leave();
    if (stops) return unused;
  }
}

static void* other(void* unused) {
#ifdef LOST_WAKEUP
  pthread_mutex_lock(&a);
  told = 1;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&a);
#elif defined DEADLOCK
  pthread_mutex_lock(&b);
  pthread_mutex_lock(&a);  // @first
  pthread_mutex_unlock(&a);
  pthread_mutex_unlock(&b);
#else
  pthread_mutex_lock(&a);
  pthread_mutex_unlock(&a);
#endif
  return unused;
}

int main(void) {
  init();
  pthread_t pollers[POLLERS], t;
  for (int i = 0; i < POLLERS; i++) pthread_create(&pollers[i], 0, poll_stop, 0);
  pthread_create(&t, 0, other, 0);
  pthread_mutex_lock(&a);
#ifdef LOST_WAKEUP
  pthread_cond_wait(&changed, &a);  // @sleeps
#else
  pthread_mutex_lock(&b);  // @second
  pthread_mutex_unlock(&b);
#endif
  pthread_mutex_unlock(&a);
  pthread_join(t, 0);
#ifndef NOBODY_STOPS
  change();
  stop = 1;
  leave();
#endif
  for (int i = 0; i < POLLERS; i++) pthread_join(pollers[i], 0);
}
