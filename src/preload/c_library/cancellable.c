/* SPDX-License-Identifier: MIT */
#include "cancellable.h"

#include <pthread.h>

void fencepost_preload_cancellable(void (*sleep)(void*), void (*cancelled)(void*), void* argument) {
  pthread_cleanup_push(cancelled, argument);
  sleep(argument);
  pthread_cleanup_pop(0);
}
