// SPDX-License-Identifier: MIT
// As seen_by_attempts.cpp, with what POSIX has. Where somebody else ends the polling, and main
// waits for the poller first, what the attempts have found comes late.
//
// case: spin_lock
// flags: -DSPIN -DLIMIT=2
// expect: all=violated:assertion c++14=violated:assertion at=limit
//
// case: spin_lock_holds
// flags: -DSPIN -DLIMIT=3
// expect: all=holds
//
// case: attempts_to_write_what_is_read
// flags: -DRWLOCK -DREADS -DLIMIT=2
// expect: all=violated:assertion at=limit
//
// case: attempts_to_write_what_is_read_hold
// flags: -DRWLOCK -DREADS -DLIMIT=3
// expect: all=holds
//
// case: attempts_to_write_what_is_written
// flags: -DRWLOCK -DLIMIT=2
// expect: all=violated:assertion at=limit
//
// case: attempts_to_read_what_is_written
// flags: -DRWLOCK -DTRIES_TO_READ -DLIMIT=2
// expect: all=violated:assertion at=limit
//
// case: attempts_to_read_what_is_read
// flags: -DRWLOCK -DREADS -DTRIES_TO_READ -DLIMIT=1
// expect: all=holds
//
// case: mutex_and_main_waits_for_the_poller
// flags: -DMUTEX -DANOTHER -DLIMIT=3
// expect: all=violated:assertion at=limit
//
// case: mutex_and_main_waits_for_the_poller_holds
// flags: -DMUTEX -DANOTHER -DLIMIT=4
// expect: all=holds
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_spinlock_t spin;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static int ready;
static atomic_int over;
static int failed;

static void take(int reads) {
  (void)reads;
#if defined(SPIN)
  pthread_spin_lock(&spin);
#elif defined(RWLOCK)
  if (reads) {
    pthread_rwlock_rdlock(&rwlock);
  } else {
    pthread_rwlock_wrlock(&rwlock);
  }
#else
  pthread_mutex_lock(&mutex);
#endif
}

static int try_to_take(void) {
#if defined(SPIN)
  return pthread_spin_trylock(&spin) == 0;
#elif defined(TRIES_TO_READ)
  return pthread_rwlock_tryrdlock(&rwlock) == 0;
#elif defined(RWLOCK)
  return pthread_rwlock_trywrlock(&rwlock) == 0;
#else
  return pthread_mutex_trylock(&mutex) == 0;
#endif
}

static void let_go(void) {
#if defined(SPIN)
  pthread_spin_unlock(&spin);
#elif defined(RWLOCK)
  pthread_rwlock_unlock(&rwlock);
#else
  pthread_mutex_unlock(&mutex);
#endif
}

static void* poll(void* argument) {
  for (int is_ready = 0; !is_ready;) {
#ifdef READS
    take(1);
#else
    take(0);
#endif
    is_ready = ready;
    let_go();
  }
  over = 1;
  return argument;
}

static void* set(void* argument) {
  take(0);
  ready = 1;
  let_go();
  return argument;
}

static void* look(void* argument) {
#ifdef ANOTHER
  const int tries = 3;
#else
  const int tries = 2;
#endif
  for (int i = 0; i < tries; i++) {
    if (try_to_take()) {
      let_go();
    } else {
      failed++;
    }
    take(0);
    let_go();
  }
  return argument;
}

int main(void) {
  pthread_t poller, looker;
  pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
  pthread_create(&poller, NULL, poll, NULL);
#ifdef ANOTHER
  pthread_t setter;
  pthread_create(&looker, NULL, look, NULL);
  pthread_create(&setter, NULL, set, NULL);
  while (!over) {
  }
  pthread_join(setter, NULL);
  pthread_join(looker, NULL);
#else
  (void)looker;
  look(NULL);
  set(NULL);
#endif
  pthread_join(poller, NULL);
  assert(failed < LIMIT);  // @limit
  return 0;
}
