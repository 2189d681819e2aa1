// SPDX-License-Identifier: MIT
// Two wait for the same news: one signal wakes one of them, a broadcast wakes both.
//
// case: broadcast
// expect: all=holds
//
// case: one_signal
// flags: -DSIGNAL
// expect: all=violated:lost-wakeup at=wait
//
// case: a_signal_each
// flags: -DSIGNAL -DPASS_ON
// expect: all=holds
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static bool ready;

static void* wait_for_it(void* unused) {
  (void)unused;
  pthread_mutex_lock(&mutex);
  while (!ready) pthread_cond_wait(&changed, &mutex);  // @wait
#ifdef PASS_ON
  pthread_cond_signal(&changed);
#endif
  pthread_mutex_unlock(&mutex);
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, wait_for_it, NULL);
  pthread_create(&b, NULL, wait_for_it, NULL);
  pthread_mutex_lock(&mutex);
  ready = true;
#ifdef SIGNAL
  pthread_cond_signal(&changed);
#else
  pthread_cond_broadcast(&changed);
#endif
  pthread_mutex_unlock(&mutex);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}
