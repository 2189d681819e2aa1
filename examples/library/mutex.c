/* SPDX-License-Identifier: MIT
 *
 * A counter that several threads change, in C. A thread that does not get the lock in time does
 * something else meanwhile. */
#include <fencepost/fencepost.h>
#include <pthread.h>
#include <stdio.h>

static fencepost_mutex door = FENCEPOST_MUTEX_INIT(0);
static long visits = 0;
static long given_up = 0;

static void* visit(void* unused) {
  const struct timespec patience = {0, 1000000}; /* a millisecond */
  for (int n = 0; n < 100000; ++n) {
    if (n % 100 != 0) {
      fencepost_mutex_lock(&door);
    } else {
      int tries = 1;
      while (fencepost_mutex_lock_for(&door, &patience) != 0) ++tries;
      given_up += tries - 1; /* under the lock */
    }
    ++visits;
    fencepost_mutex_unlock(&door);
  }
  return unused;
}

int main(void) {
  pthread_t threads[4];
  for (int n = 0; n < 4; ++n) {
    if (pthread_create(&threads[n], NULL, visit, NULL) != 0) return 1;
  }
  for (int n = 0; n < 4; ++n) pthread_join(threads[n], NULL);
  printf("%ld visits, %ld times somebody did not wait any longer\n", visits, given_up);
  return fencepost_mutex_destroy(&door) == 0 && visits == 400000 ? 0 : 1;
}
