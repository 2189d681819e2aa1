// SPDX-License-Identifier: MIT
// N threads read under one mutex: one execution for each order in which they lock it, N!.
//
// case: three
// flags: -DN=3
// expect: all=holds executions=6
//
// case: five
// flags: -DN=5
// expect: all=holds executions=120
#include <pthread.h>
#include <stddef.h>

#ifndef N
#define N 3
#endif

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int value;

static void* read_it(void* seen) {
  pthread_mutex_lock(&mutex);
  *(int*)seen = value;
  pthread_mutex_unlock(&mutex);
  return NULL;
}

int main(void) {
  pthread_t threads[N];
  int seen[N];
  for (int i = 0; i < N; i++) pthread_create(&threads[i], NULL, read_it, &seen[i]);
  for (int i = 0; i < N; i++) pthread_join(threads[i], NULL);
  return 0;
}
