// SPDX-License-Identifier: MIT
// liburcu's atomic operations, which are inline assembly on x86-64 (liburcu-dev).
//
// case: counts
// expect: x86=holds c++20=holds
//
// case: store_buffering
// flags: -DBUFFERS -DFENCE=cmm_smp_mb()
// expect: x86=holds c++20=holds
//
// case: store_buffering_without_a_fence
// flags: -DBUFFERS -DFENCE=cmm_barrier()
// expect: x86=violated:assertion
#include <assert.h>
#include <pthread.h>
#include <urcu/arch.h>
#include <urcu/uatomic.h>

static int count, word[2], seen[2];

static void* work(void* which) {
  const int me = which != NULL;
#ifdef BUFFERS
  __atomic_store_n(&word[me], 1, __ATOMIC_RELAXED);
  FENCE;
  seen[me] = __atomic_load_n(&word[!me], __ATOMIC_RELAXED);
#else
  uatomic_inc(&count);
  seen[me] = uatomic_add_return(&count, 2);
  word[me] = uatomic_cmpxchg(&count, 6, 7);
#endif
  return NULL;
}

int main(void) {
  pthread_t other;
  pthread_create(&other, NULL, work, &other);
  work(NULL);
  pthread_join(other, NULL);
#ifdef BUFFERS
  assert(seen[0] || seen[1]);
#else
  assert(count == 7);
  assert(seen[0] != seen[1]);
#endif
  return 0;
}
