/* SPDX-License-Identifier: MIT
 *
 * A library whose constructor runs before those of libraries that are loaded ahead of it, and
 * registers what the children of a fork() do.
 */
#include <pthread.h>
#include <stddef.h>
#include <unistd.h>

static pthread_cond_t* condition;

void notify_in_children(pthread_cond_t* own) { condition = own; }

static void notify(void) {
  alarm(300);
  if (condition != NULL) pthread_cond_signal(condition);
}

__attribute__((constructor)) static void begin(void) { pthread_atfork(NULL, NULL, notify); }
