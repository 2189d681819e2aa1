// SPDX-License-Identifier: MIT
// What an assertion says is told in its own words, though numbers elsewhere are addresses.
//
// case: a_number_and_a_thread
// expect: all=violated:assertion at=wrong says="0x0100 && .thread 1"
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int mask;

static void* set(void* unused) {
  atomic_store(&mask, 0x0100);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, set, NULL);
  assert(mask != 0x0100 && "thread 1");  // @wrong
  pthread_join(thread, NULL);
  return 0;
}
