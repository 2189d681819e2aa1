// SPDX-License-Identifier: MIT
// Sleeps only let others go first; they never prove that others did.
//
// case: sleep_before_looking
// expect: all=violated:assertion at=not_yet
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <unistd.h>

static atomic_int ready;

static void* get_ready(void* unused) {
  (void)unused;
  atomic_store(&ready, 1);
  return NULL;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, get_ready, NULL);
  sleep(1);
  assert(atomic_load(&ready));  // @not_yet
  pthread_join(thread, NULL);
  return 0;
}
