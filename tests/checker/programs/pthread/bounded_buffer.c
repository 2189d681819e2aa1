// SPDX-License-Identifier: MIT
// A buffer of one with a single condition variable for "full" and "empty": a signal may wake
// another consumer instead of the producer, and then everybody sleeps.
//
// case: broadcast
// flags: -DWAKE=pthread_cond_broadcast
// expect: all=holds
//
// case: signal
// flags: -DWAKE=pthread_cond_signal
// expect: all=violated:lost-wakeup at=wait
//
// case: two_conditions
// flags: -DWAKE=pthread_cond_signal -DTWO_CONDITIONS
// expect: all=holds
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#ifndef ITEMS
#define ITEMS 2  // as many consumers
#endif

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
#ifdef TWO_CONDITIONS
static pthread_cond_t emptied = PTHREAD_COND_INITIALIZER;
#else
#define emptied changed
#endif
static bool full;

static void* produce(void* unused) {
  (void)unused;
  for (int i = 0; i < ITEMS; i++) {
    pthread_mutex_lock(&mutex);
    while (full) pthread_cond_wait(&emptied, &mutex);  // @wait
    full = true;
    WAKE(&changed);
    pthread_mutex_unlock(&mutex);
  }
  return NULL;
}

static void* consume_one(void* unused) {
  (void)unused;
  pthread_mutex_lock(&mutex);
  while (!full) pthread_cond_wait(&changed, &mutex);  // @wait
  full = false;
  WAKE(&emptied);
  pthread_mutex_unlock(&mutex);
  return NULL;
}

int main(void) {
  pthread_t producer, consumers[ITEMS];
  pthread_create(&producer, NULL, produce, NULL);
  for (int i = 0; i < ITEMS; i++) pthread_create(&consumers[i], NULL, consume_one, NULL);
  pthread_join(producer, NULL);
  for (int i = 0; i < ITEMS; i++) pthread_join(consumers[i], NULL);
  return 0;
}
