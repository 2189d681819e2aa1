// SPDX-License-Identifier: MIT
// A spin lock of libatomic_ops, which is inline assembly on x86-64 (libatomic-ops-dev).
//
// case: lock
// expect: x86=holds c++20=holds
//
// case: no_lock
// flags: -DNO_LOCK
// expect: all=violated:data-race
#include <assert.h>
#include <atomic_ops.h>
#include <pthread.h>
#include <stddef.h>

static AO_TS_t lock = AO_TS_INITIALIZER;
static volatile AO_t entries;
static int inside;

static void* work(void* unused) {
#ifndef NO_LOCK
  while (AO_test_and_set_acquire(&lock) == AO_TS_SET) {
  }
#endif
  ++inside;
#ifndef NO_LOCK
  AO_CLEAR(&lock);
#endif
  AO_fetch_and_add1_full(&entries);
  return unused;
}

int main(void) {
  pthread_t other;
  pthread_create(&other, NULL, work, NULL);
  work(NULL);
  pthread_join(other, NULL);
  assert(inside == 2);
  assert(AO_load(&entries) == 2);
  return 0;
}
