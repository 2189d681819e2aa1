// SPDX-License-Identifier: MIT
// A light fence is a compiler barrier, a heavy one the kernel's membarrier: one thread pays for
// both.
//
// case: light_and_heavy
// flags: -DONE=LIGHT -DOTHER=HEAVY
// expect: all=holds executions=3
//
// case: two_heavy
// flags: -DONE=HEAVY -DOTHER=HEAVY
// expect: all=holds executions=3
//
// case: heavy_and_full
// flags: -DONE=HEAVY -DOTHER=FULL
// expect: all=holds executions=3
//
// case: two_light
// flags: -DONE=LIGHT -DOTHER=LIGHT
// expect: c++20=violated:assertion x86=violated:assertion at=seen
// expect: sc=holds executions=3
//
// case: light_and_full
// flags: -DONE=LIGHT -DOTHER=FULL
// expect: c++20=violated:assertion x86=violated:assertion at=seen
// expect: sc=holds executions=3
//
// case: heavy_and_nothing
// flags: -DONE=NOTHING -DOTHER=HEAVY
// expect: c++20=violated:assertion x86=violated:assertion at=seen
// expect: sc=holds executions=3
//
// case: a_weaker_signal_fence_is_none
// flags: -DONE=WEAKER -DOTHER=HEAVY
// expect: c++20=violated:assertion x86=violated:assertion at=seen
// expect: sc=holds executions=3
//
// case: no_membarrier
// flags: -DONE=LIGHT -DOTHER=MAYBE_HEAVY
// options: --no-membarrier
// expect: c++20=violated:assertion x86=violated:assertion at=seen
// expect: sc=holds executions=3
#include <assert.h>
#include <linux/membarrier.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NOTHING ((void)0)
#define LIGHT atomic_signal_fence(memory_order_seq_cst)
#define WEAKER atomic_signal_fence(memory_order_acq_rel)
#define FULL atomic_thread_fence(memory_order_seq_cst)
#define MAYBE_HEAVY syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0)
#define HEAVY assert(MAYBE_HEAVY == 0)

static atomic_int x, y;
static int seen_x, seen_y;

static void* one(void* unused) {
  atomic_store_explicit(&x, 1, memory_order_relaxed);
  ONE;
  seen_y = atomic_load_explicit(&y, memory_order_relaxed);
  return unused;
}

static void* other(void* unused) {
  atomic_store_explicit(&y, 1, memory_order_relaxed);
  OTHER;
  seen_x = atomic_load_explicit(&x, memory_order_relaxed);
  return unused;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, one, 0);
  pthread_create(&b, 0, other, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  assert(seen_x || seen_y);  // @seen
  return 0;
}
