/* SPDX-License-Identifier: MIT */
#include "cancellable.h"

#include "cleanup.h"

void fencepost_preload_cancellable(void (*sleep)(void*), void (*cancelled)(void*), void* argument) {
  struct _pthread_cleanup_buffer own;
  _pthread_cleanup_push(&own, cancelled, argument);
  sleep(argument);
  _pthread_cleanup_pop(&own, 0);
}
