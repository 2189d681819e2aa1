// SPDX-License-Identifier: MIT
// Variables that are aligned to more than a page: between them and the others nothing is mapped.
// They are put back for each execution as all others are.
//
// case: aligned_to_sixteen_pages
// expect: all=holds
//
// case: one_update_is_lost
// flags: -DLOSES
// expect: all=violated:assertion at=fails
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static _Alignas(65536) atomic_int count = 3;
static _Alignas(16384) int plain = 1;
static atomic_int usual = 5;

static void* add(void* argument) {
#ifdef LOSES
  const int seen = atomic_load(&count);
  atomic_store(&count, seen + 1);
#else
  atomic_fetch_add(&count, 1);
#endif
  atomic_fetch_add(&usual, 1);
  return argument;
}

int main(void) {
  assert(++plain == 2);
  pthread_t other;
  pthread_create(&other, NULL, add, NULL);
  add(NULL);
  pthread_join(other, NULL);
  assert(atomic_load(&usual) == 7);
  assert(atomic_load(&count) == 5);  // @fails
  return 0;
}
