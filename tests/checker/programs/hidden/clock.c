// SPDX-License-Identifier: MIT
// What a call of the C library writes for its caller counts like any write.
//
// case: clock_gettime
// expect: all=data-race at=now
#include <pthread.h>
#include <stddef.h>
#include <time.h>

static struct timespec now;

static void* look(void* nothing) {
  clock_gettime(CLOCK_MONOTONIC, &now);  // @now
  return nothing;
}

int main(void) {
  pthread_t other;
  pthread_create(&other, NULL, look, NULL);
  look(NULL);
  pthread_join(other, NULL);
  return 0;
}
