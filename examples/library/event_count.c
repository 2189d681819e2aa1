/* SPDX-License-Identifier: MIT
 *
 * A progress display, in C: one thread works and publishes how far it is by plain stores and an
 * increment, which costs next to nothing while nobody waits; another sleeps until there is news. */
#include <fencepost/fencepost.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

enum { all = 1000000, step = 100000 };

static fencepost_event_count progress = FENCEPOST_EVENT_COUNT_INIT(FENCEPOST_ONE_PRODUCER);
static atomic_int done = 0;

static void* work(void* unused) {
  for (int n = 1; n <= all; ++n) {
    atomic_store_explicit(&done, n, memory_order_relaxed);
    fencepost_event_count_increment(&progress);
  }
  return unused;
}

/* What to wait for: at least so much. */
static bool has_come_to(void* mark) {
  return atomic_load_explicit(&done, memory_order_relaxed) >= *(const int*)mark;
}

int main(void) {
  pthread_t worker;
  if (pthread_create(&worker, NULL, work, NULL) != 0) return 1;
  for (int mark = step; mark <= all; mark += step) {
    if (fencepost_event_count_await(&progress, has_come_to, &mark, NULL) != 0) return 1;
    printf("%d %%\n", mark / (all / 100));
  }
  pthread_join(worker, NULL);
  const uint32_t version = fencepost_event_count_value(&progress);
  fencepost_event_count_destroy(&progress);
  return version == all ? 0 : 1;
}
