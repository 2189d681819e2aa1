// SPDX-License-Identifier: MIT
// Statements that have a model and statements that have none.
#include <pthread.h>
static long words[4] __attribute__((aligned(16)));

static void* work(void* unused) {
  __asm__ volatile(TEXT ::"r"(words) : "x9", "x10", "memory", "cc");
  return unused;
}

int main(void) {
  pthread_t other;
  pthread_create(&other, 0, work, 0);
  pthread_join(other, 0);
  return 0;
}
