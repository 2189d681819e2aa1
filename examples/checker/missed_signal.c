// SPDX-License-Identifier: MIT
// A worker waits for the signal to go. If the signal comes before the worker waits, nobody will
// send another: the worker sleeps for ever, and main with it. Most runs go well; the checker shows
// the one that does not.
//
//   $ ./fencepost check examples/checker/missed_signal.c
//   violated under c++20
//   lost-wakeup at examples/checker/missed_signal.c
//
// Remember that it was sent, and look before waiting:
//
//   $ ./fencepost check examples/checker/missed_signal.c -- -DREMEMBER
//   holds under c++20
//
// "if" will do as long as nobody is woken for nothing, which POSIX allows:
//
//   $ ./fencepost check --spurious examples/checker/missed_signal.c -- -DREMEMBER
//   violated under c++20
//   assertion at examples/checker/missed_signal.c
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t go = PTHREAD_COND_INITIALIZER;
static bool may_go;

static void* work(void* unused) {
  (void)unused;
  pthread_mutex_lock(&mutex);
#ifdef REMEMBER
  if (!may_go)
#endif
    pthread_cond_wait(&go, &mutex);
  assert(may_go);
  pthread_mutex_unlock(&mutex);
  return NULL;
}

int main(void) {
  pthread_t worker;
  pthread_create(&worker, NULL, work, NULL);
  pthread_mutex_lock(&mutex);
  may_go = true;
  pthread_cond_signal(&go);
  pthread_mutex_unlock(&mutex);
  pthread_join(worker, NULL);
  return 0;
}
