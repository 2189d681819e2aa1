/* SPDX-License-Identifier: MIT
 *
 * A library that a program opens while it runs: its locks are in it, and its constructor takes one.
 */
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int count;

__attribute__((constructor)) static void begin(void) {
  pthread_mutex_lock(&mutex);
  ++count;
  pthread_mutex_unlock(&mutex);
}

int count_of_opened_late(void) {
  pthread_mutex_lock(&mutex);
  const int seen = ++count;
  pthread_mutex_unlock(&mutex);
  return seen;
}
