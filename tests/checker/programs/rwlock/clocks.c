// SPDX-License-Identifier: MIT
// Locks that are waited for by a clock that is named. With --timeouts the wait may come to nothing;
// whoever then goes on as if it had the lock races with who has it.
//
// case: waits
// expect: all=holds executions=2
//
// case: reads_without_having_looked
// flags: -DCARELESS
// options: --timeouts
// expect: all=violated:data-race at=access
//
// case: reads_if_it_may
// options: --timeouts
// expect: all=holds
//
// case: writes_without_having_looked
// flags: -DLOCK=pthread_rwlock_clockwrlock -DACCESS=value++ -DCARELESS
// options: --timeouts
// expect: all=violated:data-race at=access
//
// case: writes_if_it_may
// flags: -DLOCK=pthread_rwlock_clockwrlock -DACCESS=value++
// options: --timeouts
// expect: all=holds
//
// case: writes_without_having_looked_where_writers_are_preferred
// flags: -DLOCK=pthread_rwlock_clockwrlock -DACCESS=value++ -DCARELESS -DPREFER_WRITERS
// options: --timeouts
// expect: all=violated:data-race at=access
#define _GNU_SOURCE
#include <pthread.h>
#include <stddef.h>
#include <time.h>

#ifndef LOCK
#define LOCK pthread_rwlock_clockrdlock
#endif
#ifndef ACCESS
#define ACCESS seen = value
#endif

#ifdef PREFER_WRITERS
static pthread_rwlock_t lock = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
#else
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
#endif
static int value;
int seen;  // not static: the compiler must keep the access

static void* writes(void* unused) {
  (void)unused;
  pthread_rwlock_wrlock(&lock);
  value = 1;  // @access
  pthread_rwlock_unlock(&lock);
  return NULL;
}

int main(void) {
  struct timespec until;
  pthread_t writer;
  pthread_create(&writer, NULL, writes, NULL);
  clock_gettime(CLOCK_MONOTONIC, &until);
  until.tv_sec++;
  const int error = LOCK(&lock, CLOCK_MONOTONIC, &until);
#ifndef CARELESS
  if (error == 0)
#endif
    ACCESS;  // @access
  if (error == 0) pthread_rwlock_unlock(&lock);
  pthread_join(writer, NULL);
  return 0;
}
