// SPDX-License-Identifier: MIT
// Two threads store, then look at the other's word: only a full barrier in between makes one of
// them see the other. A locked instruction is one, whatever word it is on, for what comes before it
// and after it.
//
// case: nothing
// flags: -DBARRIER=(void)0
// expect: c++20=violated:assertion x86=violated:assertion sc=holds
//
// case: compiler_barrier
// flags: -DBARRIER=COMPILER
// expect: c++20=violated:assertion x86=violated:assertion sc=holds
//
// case: store_fence
// flags: -DBARRIER=SFENCE
// expect: c++20=violated:assertion x86=violated:assertion sc=holds
//
// case: load_fence
// flags: -DBARRIER=LFENCE
// expect: c++20=violated:assertion x86=violated:assertion sc=holds
//
// case: full_fence
// flags: -DBARRIER=MFENCE
// expect: all=holds executions=3
//
// case: full_fence_intrinsic
// flags: -DBARRIER=_mm_mfence()
// expect: all=holds executions=3
//
// case: store_fence_intrinsic
// flags: -DBARRIER=_mm_sfence()
// expect: c++20=violated:assertion x86=violated:assertion sc=holds
//
// case: locked_on_stack
// flags: -DBARRIER=LOCKED_STACK
// expect: all=holds executions=3
//
// case: locked_on_another_word
// flags: -DBARRIER=LOCKED_OTHER
// expect: all=holds executions=3
//
// case: failed_compare_exchange
// flags: -DBARRIER=LOCKED_COMPARE
// expect: all=holds executions=3
//
// case: unlocked_on_another_word
// flags: -DBARRIER=UNLOCKED_OTHER
// expect: c++20=violated:assertion x86=violated:assertion sc=holds
//
// case: exchange_as_store
// flags: -DBARRIER=(void)0 -DEXCHANGE
// expect: all=holds executions=3
#include <assert.h>
#include <immintrin.h>
#include <pthread.h>

#define COMPILER __asm__ volatile("" ::: "memory")
#define SFENCE __asm__ volatile("sfence" ::: "memory")
#define LFENCE __asm__ volatile("lfence" ::: "memory")
#define MFENCE __asm__ volatile("mfence" ::: "memory")
#define LOCKED_STACK __asm__ volatile("lock; addl $0, -4(%%rsp)" ::: "memory", "cc")
#define LOCKED_OTHER __asm__ volatile("lock; incl %0" : "+m"(other[me]) : : "memory", "cc")
#define UNLOCKED_OTHER __asm__ volatile("incl %0" : "+m"(other[me]) : : "memory", "cc")
#define LOCKED_COMPARE \
  __asm__ volatile("lock; cmpxchgl %%ecx, %0" : "+m"(other[me]) : "a"(1), "c"(2) : "memory", "cc")

static int word[2], other[2], seen[2];

static void* work(void* which) {
  const int me = which != 0;
  int one = 1, value;
#ifdef EXCHANGE
  __asm__ volatile("xchgl %0, %1" : "+r"(one), "+m"(word[me]) : : "memory");
#else
  __asm__ volatile("movl %1, %0" : "=m"(word[me]) : "r"(one) : "memory");
#endif
  BARRIER;
  __asm__ volatile("movl %1, %0" : "=r"(value) : "m"(word[!me]) : "memory");
  seen[me] = value;
  return 0;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, work, &thread);
  work(0);
  pthread_join(thread, 0);
  assert(seen[0] || seen[1]);
  return 0;
}
