// SPDX-License-Identifier: MIT
// exit() ends the program while another thread sleeps: nobody is left waiting, for nobody is left.
//
// case: exit_ends_a_sleeper
// expect: all=holds
//
// case: pthread_exit_leaves_it_asleep
// flags: -DLEAVE
// expect: all=violated:lost-wakeup at=sleep
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;

static void* sleep_for_ever(void* unused) {
  (void)unused;
  pthread_mutex_lock(&mutex);
  for (;;) pthread_cond_wait(&never, &mutex);  // @sleep
  return NULL;
}

int main(void) {
  pthread_t sleeper;
  pthread_create(&sleeper, NULL, sleep_for_ever, NULL);
  pthread_detach(sleeper);
#ifdef LEAVE
  pthread_exit(NULL);
#else
  exit(0);
#endif
}
