// SPDX-License-Identifier: MIT
// Loops at random (random_turns.py) whose rounds all have an effect. With -DSPELLED each counts its
// own turns, and what comes behind too many is assumed away; otherwise the checker counts them
// (--unroll). The argument spells which loop each of up to three threads comes to.
#include <pthread.h>
#include <stdatomic.h>

#include "fencepost/instrumentation.h"

#ifdef SPELLED
#define ROUNDS for (int turns = 0;; ++turns > MOST ? fencepost_check_assume(0) : (void)0)
#else
#define ROUNDS for (;;)
#endif

static atomic_int x, y, z, result;

#include LOOPS

static void* thread(void* letter) {
  random_loops[*(const char*)letter - 'a']();
  return 0;
}

int main(int count, char** words) {
  if (count != 2) return 2;
  const char* letter = words[1];
  pthread_t threads[3];
  int started = 0, joined = 0;
  // It is in a loop when the first thread begins, and when what came before that is not run again.
  ROUNDS {
    atomic_fetch_add_explicit(&x, 1, memory_order_relaxed);
    if (*letter != '\0') pthread_create(&threads[started++], 0, thread, (void*)letter++);
    if (*letter == 0 || atomic_load_explicit(&y, memory_order_relaxed) >= 1) break;
  }
  while (joined < started) pthread_join(threads[joined++], 0);
  atomic_store(&result,
               (atomic_load(&x) & 15) | (atomic_load(&y) & 15) << 4 | (atomic_load(&z) & 15) << 8);
}
