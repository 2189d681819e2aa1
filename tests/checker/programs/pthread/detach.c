// SPDX-License-Identifier: MIT
// A detached thread is waited for by a flag, or not at all.
//
// case: waited_for
// expect: all=holds
//
// case: main_leaves_by_pthread_exit
// flags: -DLEAVE
// expect: all=holds
//
// case: assertion_fails_after_main_left
// flags: -DLEAVE -DWRONG
// expect: all=violated:assertion at=wrong
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int done;

static void* work(void* unused) {
  (void)unused;
#ifdef WRONG
  assert(atomic_load(&done) == 1);  // @wrong
#endif
  atomic_store(&done, 1);
  return NULL;
}

int main(void) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_t worker;
#ifdef LEAVE
  pthread_create(&worker, NULL, work, NULL);
  pthread_detach(worker);
  pthread_attr_destroy(&attributes);
  pthread_exit(NULL);
#else
  pthread_create(&worker, &attributes, work, NULL);
  pthread_attr_destroy(&attributes);
  while (!atomic_load(&done))
    ;
  return 0;
#endif
}
