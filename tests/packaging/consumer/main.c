/* SPDX-License-Identifier: MIT
 * A user's program: a thread hands numbers to another one. */
#include <fencepost/fencepost.h>
#include <pthread.h>
#include <stdio.h>

static fencepost_event_mutex mutex = FENCEPOST_EVENT_MUTEX_INIT(0);
static fencepost_event_count count = FENCEPOST_EVENT_COUNT_INIT(FENCEPOST_ONE_PRODUCER);
static int sum = 0;

static void* produce(void* unused) {
  for (int n = 1; n <= 1000; ++n) {
    fencepost_event_mutex_lock(&mutex);
    sum += n;
    fencepost_event_mutex_unlock(&mutex);
    fencepost_event_count_increment(&count);
  }
  return unused;
}

int main(void) {
  pthread_t producer;
  if (pthread_create(&producer, NULL, produce, NULL) != 0) return 1;
  uint32_t seen = fencepost_event_count_value(&count);
  while (seen != 1000) seen = fencepost_event_count_wait(&count, seen);
  pthread_join(producer, NULL);
  printf("sum %d, version %d\n", sum, fencepost_version() == FENCEPOST_VERSION);
  return 0;
}
