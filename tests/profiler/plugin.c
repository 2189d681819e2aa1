// SPDX-License-Identifier: MIT
// A library that is loaded and unloaded by plugins.c: compiled twice, with functions of other
// names.
#include <pthread.h>

static pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;

void PLUGIN(pthread_mutex_t* given, int rounds) {
  pthread_mutex_lock(given);
  pthread_mutex_unlock(given);
  for (int n = 0; n < rounds; ++n) {
    const struct timespec long_ago = {1, 0};
    pthread_mutex_lock(&own);
    pthread_cond_timedwait(&condition, &own, &long_ago);
    pthread_mutex_unlock(&own);
  }
}
