/* SPDX-License-Identifier: MIT
 *
 * A read-write lock that as many threads share as can, in the word of
 * include/fencepost/shared_mutex.hpp. Prints what each way to share it says, and what once somebody
 * gave a share back.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

int main(void) {
  alarm(300);
  pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
  *(uint32_t*)&lock = (UINT32_C(1) << 29) - 1;
  struct timespec moment;
  clock_gettime(CLOCK_REALTIME, &moment);
  moment.tv_sec += 1000;
  const int shared = pthread_rwlock_rdlock(&lock);
  const int tried = pthread_rwlock_tryrdlock(&lock);
  const int in_time = pthread_rwlock_timedrdlock(&lock, &moment);
  const int unlocked = pthread_rwlock_unlock(&lock);
  const int again = pthread_rwlock_rdlock(&lock);
  printf("%d %d %d %d %d\n", shared, tried, in_time, unlocked, again);
  return 0;
}
