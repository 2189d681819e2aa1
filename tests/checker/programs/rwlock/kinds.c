// SPDX-License-Identifier: MIT
// Who goes first, who may not come, and what must not be done. glibc's locks let readers in while a
// writer waits, unless they are of the kind that prefers writers and takes no recursive readers.
//
// case: recursive_reader
// expect: all=holds
//
// case: recursive_reader_of_a_lock_that_prefers_writers
// flags: -DKIND=PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP
// expect: all=violated:deadlock says="waits to (read|write) .*, held by"
//
// case: recursive_reader_of_a_lock_that_says_so
// flags: -DKIND=PTHREAD_RWLOCK_PREFER_WRITER_NP
// expect: all=holds
//
// case: recursive_writer
// flags: -DBODY=recursive_writer
// expect: all=holds
//
// case: reader_turns_into_a_writer
// flags: -DBODY=upgrade
// expect: all=violated:deadlock at=upgrade says="held by"
//
// case: tries
// flags: -DBODY=tries
// expect: all=holds
//
// case: polled
// flags: -DBODY=polls
// expect: all=holds
//
// case: unlocked_by_who_does_not_hold_it
// flags: -DBODY=unlock_only
// expect: all=violated:memory at=unlock says="does not hold"
//
// case: destroyed_while_held
// flags: -DBODY=destroys
// expect: all=violated:memory at=destroy says="holds"
//
// case: timed_locks_wait
// flags: -DBODY=timed
// expect: all=holds
//
// case: timed_locks_give_up
// flags: -DBODY=timed
// options: --timeouts
// expect: all=violated:assertion at=late
//
// case: timed_locks_that_cope
// flags: -DBODY=timed -DCOPE
// options: --timeouts
// expect: all=holds
//
// case: timed_locks_that_cope_where_writers_are_preferred
// flags: -DBODY=timed -DCOPE -DKIND=PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP
// options: --timeouts
// expect: all=holds
//
// case: shared_with_other_processes
// flags: -DBODY=tries -DSHARED
// expect: all=holds
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <time.h>

#ifndef KIND
#define KIND PTHREAD_RWLOCK_DEFAULT_NP
#endif
#ifndef BODY
#define BODY recursive_reader
#endif

static pthread_rwlock_t lock;
static int value;

static inline void recursive_reader(void) {
  pthread_rwlock_rdlock(&lock);
  pthread_rwlock_rdlock(&lock);
  assert(value == 0 || value == 1);
  pthread_rwlock_unlock(&lock);
  pthread_rwlock_unlock(&lock);
}

static inline void recursive_writer(void) {
  pthread_rwlock_wrlock(&lock);
  assert(pthread_rwlock_wrlock(&lock) == EDEADLK);
  assert(pthread_rwlock_rdlock(&lock) == EDEADLK);
  assert(pthread_rwlock_trywrlock(&lock) == EBUSY);
  value = 2;
  pthread_rwlock_unlock(&lock);
}

static inline void upgrade(void) {
  pthread_rwlock_rdlock(&lock);
  pthread_rwlock_wrlock(&lock);  // @upgrade
}

static inline void tries(void) {
  const int reads = pthread_rwlock_tryrdlock(&lock);
  assert(reads == 0 || reads == EBUSY);
  if (reads == 0) {
    assert(pthread_rwlock_trywrlock(&lock) == EBUSY);
    assert(value == 0 || value == 1);
    pthread_rwlock_unlock(&lock);
  }
  if (pthread_rwlock_trywrlock(&lock) == 0) {
    value = 3;
    pthread_rwlock_unlock(&lock);
  }
}

static inline void polls(void) {
  for (int seen = 0; seen == 0;) {
    pthread_rwlock_rdlock(&lock);
    seen = value;
    pthread_rwlock_unlock(&lock);
  }
}

static inline void unlock_only(void) {
  pthread_rwlock_unlock(&lock);  // @unlock
}

static inline void destroys(void) {
  pthread_rwlock_rdlock(&lock);
  pthread_rwlock_destroy(&lock);  // @destroy
}

static inline void timed(void) {
  struct timespec until;
  clock_gettime(CLOCK_MONOTONIC, &until);
  until.tv_sec++;
  int error = pthread_rwlock_clockrdlock(&lock, CLOCK_MONOTONIC, &until);
#ifdef COPE
  if (error == ETIMEDOUT) return;
#endif
  assert(error == 0);  // @late
  pthread_rwlock_unlock(&lock);
  error = pthread_rwlock_timedwrlock(&lock, &until);
#ifdef COPE
  if (error == ETIMEDOUT) return;
#endif
  assert(error == 0);  // @late
  pthread_rwlock_unlock(&lock);
}

static void* work(void* unused) {
  (void)unused;
  BODY();
  return NULL;
}

int main(void) {
  pthread_rwlockattr_t attributes;
  pthread_rwlockattr_init(&attributes);
  pthread_rwlockattr_setkind_np(&attributes, KIND);
#ifdef SHARED
  pthread_rwlockattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
#endif
  pthread_rwlock_init(&lock, &attributes);
  pthread_t a;
  pthread_create(&a, NULL, work, NULL);
  pthread_rwlock_wrlock(&lock);
  value = 1;
  pthread_rwlock_unlock(&lock);
  pthread_join(a, NULL);
  pthread_rwlock_destroy(&lock);
  return 0;
}
