/* SPDX-License-Identifier: MIT */
#include <pthread.h>

int main(void) {
  static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  for (int n = 0; n != 3; ++n) {
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
  }
  return 0;
}
