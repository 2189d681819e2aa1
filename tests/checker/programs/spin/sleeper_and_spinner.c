// SPDX-License-Identifier: MIT
// One thread sleeps for ever and another spins on what it would have done: the one that lost its
// wake-up is the cause.
//
// case: both_stuck
// expect: all=violated:lost-wakeup|non-termination
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t go = PTHREAD_COND_INITIALIZER;
static atomic_int done;

static void* sleeper(void* unused) {
  (void)unused;
  pthread_mutex_lock(&mutex);
  pthread_cond_wait(&go, &mutex);
  pthread_mutex_unlock(&mutex);
  atomic_store(&done, 1);
  return NULL;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, sleeper, NULL);
  pthread_cond_signal(&go);
  while (!atomic_load(&done))
    ;
  pthread_join(thread, NULL);
  return 0;
}
