// SPDX-License-Identifier: MIT
// "if" instead of "while" around a wait: right as long as nobody is woken for nothing.
//
// case: if_by_default
// expect: all=holds
//
// case: if_with_spurious_wakeups
// options: --spurious
// expect: all=violated:assertion at=early
//
// case: while_with_spurious_wakeups
// flags: -DLOOP=while
// options: --spurious
// expect: all=holds
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#ifndef LOOP
#define LOOP if
#endif

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static bool ready;

static void* wait_for_it(void* unused) {
  (void)unused;
  pthread_mutex_lock(&mutex);
  LOOP(!ready) pthread_cond_wait(&changed, &mutex);
  assert(ready);  // @early
  pthread_mutex_unlock(&mutex);
  return NULL;
}

int main(void) {
  pthread_t waiter;
  pthread_create(&waiter, NULL, wait_for_it, NULL);
  pthread_mutex_lock(&mutex);
  ready = true;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&mutex);
  pthread_join(waiter, NULL);
  return 0;
}
