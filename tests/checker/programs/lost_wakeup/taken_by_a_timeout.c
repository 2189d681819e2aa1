// SPDX-License-Identifier: MIT
// POSIX lets a wait on a condition variable that times out take with it a wake-up that comes at the
// same time. Who is told of the time has to hand the wake-up on as well.
//
// case: handed_on_by_who_is_told_of_it
// options: --timeouts
// expect: all=lost-wakeup at=patient
//
// case: handed_on_in_any_case
// flags: -DANYHOW
// options: --timeouts
// expect: all=holds
//
// By C11's functions.
// case: c11_handed_on_by_who_is_told_of_it
// flags: -DC11
// options: --timeouts
// expect: all=lost-wakeup at=patient
//
// A limit that has passed leaves both open.
// case: only_looked
// flags: -DPAST
// expect: all=lost-wakeup at=patient
//
// case: only_looked_and_handed_on
// flags: -DPAST -DANYHOW
// expect: all=holds
//
// case: only_looked_and_woken
// flags: -DPAST -DWOKEN
// expect: all=assertion at=woken
#include <assert.h>
#include <pthread.h>
#include <threads.h>
#include <time.h>

static int there;
#ifdef C11
static mtx_t mutex;
static cnd_t arrived;
#define LOCK() mtx_lock(&mutex)
#define UNLOCK() mtx_unlock(&mutex)
#define WAIT() cnd_wait(&arrived, &mutex)
#define WAIT_UNTIL(when) (cnd_timedwait(&arrived, &mutex, when) == thrd_success)
#define WAKE() cnd_signal(&arrived)
#else
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t arrived = PTHREAD_COND_INITIALIZER;
#define LOCK() pthread_mutex_lock(&mutex)
#define UNLOCK() pthread_mutex_unlock(&mutex)
#define WAIT() pthread_cond_wait(&arrived, &mutex)
#define WAIT_UNTIL(when) (pthread_cond_timedwait(&arrived, &mutex, when) == 0)
#define WAKE() pthread_cond_signal(&arrived)
#endif

static void* impatient(void* unused) {
  struct timespec when = {0, 0};
#ifndef PAST
  clock_gettime(CLOCK_REALTIME, &when);
  when.tv_sec += 1;
#endif
  LOCK();
  const int woken = WAIT_UNTIL(&when);
#ifdef WOKEN
  assert(!woken);  // @woken
#endif
#ifdef ANYHOW
  WAKE();
#else
  if (woken) WAKE();
#endif
  UNLOCK();
  return unused;
}

static void* patient(void* unused) {
  LOCK();
  while (!there) WAIT();  // @patient
  UNLOCK();
  return unused;
}

int main(void) {
#ifdef C11
  mtx_init(&mutex, mtx_plain);
  cnd_init(&arrived);
#endif
  pthread_t first, second;
  pthread_create(&first, 0, impatient, 0);
  pthread_create(&second, 0, patient, 0);
  LOCK();
  there = 1;
  WAKE();
  UNLOCK();
  pthread_join(second, 0);
  pthread_join(first, 0);
  return 0;
}
