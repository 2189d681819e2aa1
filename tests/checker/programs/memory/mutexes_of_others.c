// SPDX-License-Identifier: MIT
// Of a recursive mutex who unlocks it, or waits with it, must own it: so says C11 of mtx_unlock,
// and POSIX of pthread_cond_wait.
//
// case: c11_unlock
// flags: -DUNLOCK
// expect: all=violated:memory at=unlock
//
// case: wait
// flags: -DWAIT
// expect: all=violated:memory at=wait
//
// case: own
// expect: all=holds
#define _GNU_SOURCE  // a recursive mutex by a static initialiser
#include <pthread.h>
#include <threads.h>

static mtx_t mutex;
static pthread_mutex_t recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;

static int use(void* unused) {
  (void)unused;
#ifdef UNLOCK
  mtx_unlock(&mutex);  // @unlock
#elif defined(WAIT)
  pthread_cond_wait(&condition, &recursive);  // @wait
#else
  mtx_lock(&mutex);
  mtx_unlock(&mutex);
  pthread_cond_signal(&condition);
  pthread_mutex_lock(&recursive);
  pthread_mutex_unlock(&recursive);
#endif
  return 0;
}

int main(void) {
  mtx_init(&mutex, mtx_plain | mtx_recursive);
  thrd_t thread;
  thrd_create(&thread, use, NULL);
  thrd_join(thread, NULL);
  return 0;
}
