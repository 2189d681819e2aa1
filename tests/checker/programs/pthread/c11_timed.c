// SPDX-License-Identifier: MIT
// The rest of C11's threads: locks and waits with a time limit, kinds of mutexes, storage of
// threads.
//
// case: timed_lock_waits
// expect: all=holds
//
// case: timed_lock_gives_up
// options: --timeouts
// expect: all=violated:assertion at=late
//
// case: timed_lock_of_a_plain_mutex
// flags: -DKIND="mtx_plain"
// expect: all=violated:memory at=late says="made without mtx_timed"
//
// case: timed_lock_of_a_recursive_timed_mutex
// flags: -DKIND="mtx_timed|mtx_recursive"
// expect: all=holds
//
// case: timed_wait_waits
// flags: -DWAIT
// expect: all=holds
//
// case: timed_wait_that_nobody_ends
// flags: -DWAIT -DNO_SIGNAL
// expect: all=violated:lost-wakeup at=wait says="time limit"
//
// case: timed_wait_that_nobody_ends_gives_up
// flags: -DWAIT -DNO_SIGNAL
// options: --timeouts
// expect: all=holds
//
// case: recursive
// flags: -DKIND="mtx_recursive" -DTWICE
// expect: all=holds
//
// case: locked_twice
// flags: -DKIND="mtx_plain" -DTWICE
// expect: all=violated:deadlock at=lock
//
// case: unlocked_by_another
// flags: -DSTRANGER
// expect: all=violated:memory at=unlock says="does not hold"
//
// case: destroyed_while_held
// flags: -DDESTROY
// expect: all=violated:memory at=destroy says="destroys the mutex"
//
// case: condition_destroyed_and_used
// flags: -DWAIT -DUSE_AFTER
// expect: all=violated:memory at=use says="is destroyed"
#include <assert.h>
#include <stddef.h>
#include <threads.h>
#include <time.h>

#ifndef KIND
#define KIND mtx_timed
#endif

static mtx_t mutex;
static cnd_t changed;
static int ready;
static tss_t mine;

static int work(void* unused) {
  (void)unused;
  tss_set(mine, &ready);
  mtx_lock(&mutex);  // @lock
#ifdef TWICE
  mtx_lock(&mutex);  // @lock
  mtx_unlock(&mutex);
#endif
  ready = 1;
#ifndef NO_SIGNAL
  cnd_signal(&changed);
#endif
#if !defined(STRANGER) && !defined(DESTROY)
  mtx_unlock(&mutex);  // @unlock
#endif
  assert(tss_get(mine) == &ready);
  return 3;
}

int main(void) {
  thrd_t worker;
  int result;
  struct timespec until = {2000000, 0};
  mtx_init(&mutex, KIND);
  cnd_init(&changed);
  tss_create(&mine, NULL);
  thrd_create(&worker, work, NULL);
#if defined(STRANGER) || defined(DESTROY)
  thrd_join(worker, &result);
#ifdef DESTROY
  mtx_destroy(&mutex);  // @destroy
#else
  mtx_unlock(&mutex);  // @unlock
#endif
#elif defined(WAIT)
  mtx_lock(&mutex);
#ifdef NO_SIGNAL
  if (!ready) cnd_timedwait(&changed, &mutex, &until);  // @wait
#else
  while (!ready) cnd_timedwait(&changed, &mutex, &until);
#endif
  mtx_unlock(&mutex);
  thrd_join(worker, &result);
#elif defined(TWICE)
  thrd_join(worker, &result);
#else
  int got = mtx_timedlock(&mutex, &until);  // @late
  assert(got == thrd_success);              // @late
  mtx_unlock(&mutex);
  thrd_join(worker, &result);
#endif
#if !defined(STRANGER) && !defined(DESTROY)
  assert(result == 3);
  cnd_destroy(&changed);
#ifdef USE_AFTER
  cnd_signal(&changed);  // @use
#endif
  mtx_destroy(&mutex);
  tss_delete(mine);
#endif
  return 0;
}
