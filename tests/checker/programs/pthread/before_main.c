// SPDX-License-Identifier: MIT
// What a thread has by POSIX's rules before main is called is the main thread's, in each execution:
// values of keys, and that it is not to be cancelled.
//
// case: main_has_it
// expect: all=holds
//
// case: the_next_execution_has_it_too
// flags: -DCHANGED
// expect: all=holds executions=2
//
// case: another_thread_has_not
// flags: -DASKED_BY_ANOTHER
// expect: all=violated:assertion at=look
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static pthread_key_t key;
static int value;
static atomic_int x;

__attribute__((constructor)) static void begin(void) {
  pthread_key_create(&key, NULL);
  pthread_setspecific(key, &value);
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
}

static void look(void) {
  int state;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
  assert(pthread_getspecific(key) == &value && state == PTHREAD_CANCEL_DISABLE);  // @look
}

static void* work(void* unused) {
#ifdef ASKED_BY_ANOTHER
  look();
#endif
  atomic_store(&x, 1);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  look();
#ifdef CHANGED
  if (atomic_load(&x) == 0) {
    pthread_setspecific(key, NULL);
    pthread_key_delete(key);
    pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
  }
#endif
  pthread_join(thread, NULL);
}
