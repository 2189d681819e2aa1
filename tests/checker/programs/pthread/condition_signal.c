// SPDX-License-Identifier: MIT
// A condition variable remembers nothing: a signal that comes before the wait is gone.
//
// case: predicate_in_a_loop
// flags: -DPREDICATE
// expect: all=holds
//
// case: no_predicate
// expect: all=violated:lost-wakeup at=wait
//
// case: signal_without_the_mutex
// flags: -DPREDICATE -DSIGNAL_AFTER_UNLOCK
// expect: all=holds
//
// case: predicate_set_without_the_mutex
// flags: -DPREDICATE -DSET_WITHOUT_LOCK
// expect: all=violated:lost-wakeup at=wait
//
// case: never_signalled
// flags: -DPREDICATE -DNO_SIGNAL
// expect: all=violated:lost-wakeup at=wait
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static atomic_bool ready;

static void* wait_for_it(void* unused) {
  (void)unused;
  pthread_mutex_lock(&mutex);
#ifdef PREDICATE
  while (!ready)
#endif
    pthread_cond_wait(&changed, &mutex);  // @wait
  pthread_mutex_unlock(&mutex);
  return NULL;
}

static void* announce(void* unused) {
  (void)unused;
#ifdef SET_WITHOUT_LOCK
  ready = true;
  pthread_cond_signal(&changed);
#else
  pthread_mutex_lock(&mutex);
  ready = true;
#if !defined(SIGNAL_AFTER_UNLOCK) && !defined(NO_SIGNAL)
  pthread_cond_signal(&changed);
#endif
  pthread_mutex_unlock(&mutex);
#ifdef SIGNAL_AFTER_UNLOCK
  pthread_cond_signal(&changed);
#endif
#endif
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, wait_for_it, NULL);
  pthread_create(&b, NULL, announce, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}
