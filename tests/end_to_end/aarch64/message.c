// SPDX-License-Identifier: MIT
// A message and a flag.
#include <assert.h>
#include <pthread.h>
static int message, flag;

static void* send(void* unused) {
  message = 1;
  __asm__ volatile(PUT " %w1, %0" : "=Q"(flag) : "r"(1) : "memory");
  return unused;
}

int main(void) {
  pthread_t other;
  int found;
  pthread_create(&other, 0, send, 0);
  do {
    __asm__ volatile(GET " %w0, %1" : "=r"(found) : "Q"(flag) : "memory");
  } while (!found);
  assert(message == 1);
  pthread_join(other, 0);
  return 0;
}
