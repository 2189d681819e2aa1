// SPDX-License-Identifier: MIT
// Two threads count by inline assembly. An exclusive pair and an instruction of LSE lose nothing, a
// load and a store do.
#include <assert.h>
#include <pthread.h>
static int count;

static void add(int* word) {
  int old, sum, failed;
#if defined(EXCLUSIVE)
  __asm__ volatile("1: ldxr %w0, %3\n add %w1, %w0, #1\n stxr %w2, %w1, %3\n cbnz %w2, 1b"
                   : "=&r"(old), "=&r"(sum), "=&r"(failed), "+Q"(*word)::"memory");
#elif defined(LSE)
  (void)sum, (void)failed;
  __asm__ volatile("ldadd %w2, %w0, %1" : "=r"(old), "+Q"(*word) : "r"(1) : "memory");
#elif defined(MAXIMUM)
  (void)sum, (void)failed;
  __asm__ volatile("ldsmax %w2, %w0, %1" : "=r"(old), "+Q"(*word) : "r"(2) : "memory");
  assert(old == 0 || old == 2);
#else
  (void)failed;
  __asm__ volatile("ldr %w0, %1" : "=r"(old) : "Q"(*word) : "memory");
  sum = old + 1;
  __asm__ volatile("str %w1, %0" : "=Q"(*word) : "r"(sum) : "memory");
#endif
}

static void* work(void* unused) {
  add(&count);
  return unused;
}

int main(void) {
  pthread_t other;
  pthread_create(&other, 0, work, 0);
  work(0);
  pthread_join(other, 0);
  assert(count == 2);
  return 0;
}
