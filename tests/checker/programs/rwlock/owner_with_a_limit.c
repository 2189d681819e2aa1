// SPDX-License-Identifier: MIT
// Who holds a read-write lock for writing and asks for it again is told so at once, whatever the
// time limit.
//
// case: it_never_times_out
// options: --timeouts
// expect: all=holds
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

int main(void) {
  struct timespec limit;
  clock_gettime(CLOCK_REALTIME, &limit);
  limit.tv_sec++;
  pthread_rwlock_wrlock(&lock);
  assert(pthread_rwlock_timedrdlock(&lock, &limit) == EDEADLK);
  assert(pthread_rwlock_timedwrlock(&lock, &limit) == EDEADLK);
  pthread_rwlock_unlock(&lock);
  return 0;
}
