/* SPDX-License-Identifier: MIT
 *
 * A light and a heavy fence, face to face. */
#include <errno.h>
#include <sched.h>
#include <stdatomic.h>

#include "check.h"

static struct {
  _Atomic int light_side;
  _Atomic int heavy_side;
  _Atomic int round[2];
  int saw[2];
} fences;

enum { fence_rounds = 3000 };

static void meet(int self, int round) {
  fences.round[self] = round;
  while (fences.round[1 - self] < round) sched_yield();
}

static void* light_side(void* unused) {
  for (int n = 1; n <= fence_rounds; ++n) {
    meet(0, 2 * n);
    atomic_store_explicit(&fences.light_side, n, memory_order_relaxed);
    fencepost_fence_light();
    fences.saw[0] = atomic_load_explicit(&fences.heavy_side, memory_order_relaxed);
    meet(0, 2 * n + 1);
  }
  return unused;
}

void a_light_and_a_heavy_fence_do_not_both_miss(void) {
  const enum fencepost_strategy strategy = fencepost_fence_strategy();
  CHECK(strategy == FENCEPOST_FENCE_MEMBARRIER || strategy == FENCEPOST_FENCE_MPROTECT ||
        strategy == FENCEPOST_FENCE_FULL_FENCES);
  CHECK(fencepost_fence_use(fencepost_fence_strategy_name()) == 0);
  CHECK(fencepost_fence_strategy() == strategy);
  CHECK(fencepost_fence_use("wishful_thinking") == EINVAL);
  CHECK(fencepost_fence_use("undecided") == EINVAL);
  const enum fencepost_strategy between = fencepost_interprocess_strategy();
  CHECK(between == FENCEPOST_FENCE_MEMBARRIER || between == FENCEPOST_FENCE_FULL_FENCES);
  pthread_t other = start(light_side, NULL);
  for (int n = 1; n <= fence_rounds; ++n) {
    meet(1, 2 * n);
    atomic_store_explicit(&fences.heavy_side, n, memory_order_relaxed);
    fencepost_fence_heavy();
    fences.saw[1] = atomic_load_explicit(&fences.light_side, memory_order_relaxed);
    meet(1, 2 * n + 1);
    CHECK(fences.saw[0] == n || fences.saw[1] == n);
  }
  finish(other);
}
