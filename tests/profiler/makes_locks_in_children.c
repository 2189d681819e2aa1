/* SPDX-License-Identifier: MIT
 *
 * A library that makes a lock first of all in the child of a fork().
 */
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <unistd.h>

static bool is_wanted;

void make_locks_in_children(void) { is_wanted = true; }

static void make_lock(void) {
  alarm(300);
  if (!is_wanted) return;
  pthread_mutex_t mutex;
  pthread_mutex_init(&mutex, NULL);
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  pthread_mutex_destroy(&mutex);
}

__attribute__((constructor)) static void begin(void) { pthread_atfork(NULL, NULL, make_lock); }
