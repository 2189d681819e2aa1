// SPDX-License-Identifier: MIT
// What each kind of mutex says to a second lock and to an unlock by another thread.
//
// case: recursive
// flags: -DKIND=PTHREAD_MUTEX_RECURSIVE
// expect: all=holds executions=1
//
// case: error_checking
// flags: -DKIND=PTHREAD_MUTEX_ERRORCHECK
// expect: all=holds executions=1
//
// case: normal_locks_itself_out
// flags: -DKIND=PTHREAD_MUTEX_NORMAL
// expect: all=violated:deadlock at=again
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t mutex;

static void* unlock_what_is_not_mine(void* unused) {
  (void)unused;
  assert(pthread_mutex_unlock(&mutex) == EPERM);
  assert(pthread_mutex_trylock(&mutex) == EBUSY);
  return NULL;
}

int main(void) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_settype(&attributes, KIND);
  pthread_mutex_init(&mutex, &attributes);
  pthread_mutexattr_destroy(&attributes);

  assert(pthread_mutex_lock(&mutex) == 0);
  int again = pthread_mutex_lock(&mutex);  // @again
  pthread_t other;
  pthread_create(&other, NULL, unlock_what_is_not_mine, NULL);
  pthread_join(other, NULL);
  if (KIND == PTHREAD_MUTEX_RECURSIVE) {
    assert(again == 0);
    assert(pthread_mutex_unlock(&mutex) == 0);
  } else {
    assert(again == EDEADLK);
  }
  assert(pthread_mutex_unlock(&mutex) == 0);
  assert(pthread_mutex_unlock(&mutex) == EPERM);
  assert(pthread_mutex_destroy(&mutex) == 0);
  return 0;
}
