// SPDX-License-Identifier: MIT
// What an earlier call has left in a gap of a frame is something else when an execution is run
// again. The round that was found to repeat is the same all the same.
//
// case: for_ever
// expect: all=violated:non-termination
//
// case: for_ever_without_optimisation
// flags: -O0
// expect: all=violated:non-termination
//
// case: woken_too_early
// flags: -DWAKER
// expect: all=violated:non-termination
//
// case: woken
// flags: -DWAKER -DWAKES
// expect: all=holds
#include <pthread.h>
#include <stdatomic.h>

static atomic_int count, woken;

static int look(atomic_int* at) { return atomic_load(at); }

static void* steps(void* unused) {
  for (int step = 0; step < 2; ++step) {
    if (step == 0) {
      int expected = atomic_load(&count);
      atomic_compare_exchange_strong(&count, &expected, expected + 1);
    } else {
      while (look(&woken) != 1) {
      }
    }
  }
  return unused;
}

int main(void) {
  pthread_t stepping;
  pthread_create(&stepping, NULL, steps, NULL);
#ifdef WAKER
  if (atomic_load(&count) == 0) atomic_store(&woken, 1);
#endif
#ifdef WAKES
  atomic_store(&woken, 1);
#endif
  pthread_join(stepping, NULL);
}
