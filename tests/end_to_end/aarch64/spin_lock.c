// SPDX-License-Identifier: MIT
// A spin lock that waits by wfe, as kernels write it.
#include <assert.h>
#include <pthread.h>
static int word, inside;

#ifdef RELAXED_LOCK
#define LOAD "ldxr"
#else
#define LOAD "ldaxr"
#endif
#ifdef RELAXED_UNLOCK
#define STORE "str"
#else
#define STORE "stlr"
#endif

static void lock(int* lock) {
  int found;
#ifdef COUNTS  // gives up in some execution: a count in a register is part of the state
  int attempts = 0;
  __asm__ volatile(
      "1: add %w1, %w1, #1\n cmp %w1, #3\n b.gt 3f\n"
      "2: " LOAD " %w0, %2\n cbnz %w0, 1b\n stxr %w0, %w3, %2\n cbnz %w0, 2b\n3:"
      : "=&r"(found), "+&r"(attempts), "+Q"(*lock)
      : "r"(1)
      : "memory", "cc");
#else
  __asm__ volatile("sevl\n1: wfe\n2: " LOAD
                   " %w0, %1\n cbnz %w0, 1b\n stxr %w0, %w2, %1\n cbnz %w0, 2b"
                   : "=&r"(found), "+Q"(*lock)
                   : "r"(1)
                   : "memory");
#endif
}

static void* work(void* unused) {
  lock(&word);
  ++inside;
  __asm__ volatile(STORE " wzr, %0" : "=Q"(word)::"memory");
  return unused;
}

int main(void) {
  pthread_t other;
  pthread_create(&other, 0, work, 0);
  work(0);
  pthread_join(other, 0);
  assert(inside == 2);
  return 0;
}
