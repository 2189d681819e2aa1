// SPDX-License-Identifier: MIT
// Threads that take turns under a mutex and do plain work in it: few events, many plain accesses.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

#ifndef THREADS
#define THREADS 3
#endif
#ifndef CELLS
#define CELLS 200
#endif

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static long cells[CELLS];

static void* add_one_to_each(void* unused) {
  (void)unused;
  pthread_mutex_lock(&mutex);
  for (int i = 0; i < CELLS; i++) cells[i]++;
  pthread_mutex_unlock(&mutex);
  return NULL;
}

int main(void) {
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, add_one_to_each, NULL);
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
  for (int i = 0; i < CELLS; i++) assert(cells[i] == THREADS);
  return 0;
}
