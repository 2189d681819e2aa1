// SPDX-License-Identifier: MIT
// A loop stores again, as they are, four of eight bytes that another thread stores at once. Who
// reads all eight may take these four from the loop and the others from before that store:
// single-copy atomicity is between a read and the writes that it takes bytes from. Were the round
// left out for changing nothing, he would take the four from the store, and then all must be as
// new.
//
// case: half_beside_the_whole
// flags: -DSTORE=half
// expect: c++20=violated:assertion
// expect: c++14=violated:assertion
//
// Where accesses take effect at once, nobody sees what is stored as it was.
//
// case: half_beside_the_whole_at_once
// flags: -DSTORE=half
// expect: sc=holds
// expect: x86=holds
//
// case: half_by_compare_exchange
// flags: -DSTORE=half_compared
// expect: c++20=violated:assertion
//
// Who reads some of the bytes that the loop stores, and no others, reads nothing that he could not
// have read without.
//
// case: whole_beside_the_half
// flags: -DSTORE=whole -DREAD=half_of_it
// expect: c++20=holds
// expect: c++14=holds
//
// Nor does it matter that the loop finds what was stored in two halves.
//
// case: whole_of_halves
// flags: -DSTORE=whole -DREAD=half_of_it -DHALVES
// expect: c++20=holds executions=2 blocked=12
//
// A lock that lies beside such bytes is its own.
//
// case: neighbour
// flags: -DSTORE=neighbour -DREAD=half_of_it
// expect: c++20=holds
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

static struct {
  _Alignas(16) union {
    uint64_t whole;
    uint32_t half[2];
  };
  unsigned char taken;
} word;
static int is_over;

static void half(void) { __atomic_fetch_or(&word.half[0], 0, __ATOMIC_ACQ_REL); }

static void half_compared(void) {
  uint32_t found = __atomic_load_n(&word.half[0], __ATOMIC_ACQUIRE);
  __atomic_compare_exchange_n(&word.half[0], &found, found, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

static void whole(void) { __atomic_fetch_or(&word.whole, 0, __ATOMIC_ACQ_REL); }

static void neighbour(void) { __atomic_exchange_n(&word.taken, 1, __ATOMIC_ACQ_REL); }

static uint64_t all_of_it(void) { return __atomic_load_n(&word.whole, __ATOMIC_RELAXED); }

static uint64_t half_of_it(void) {
  return __atomic_load_n(&word.half[0], __ATOMIC_RELAXED) * 0x100000001u;
}

#ifndef READ
#define READ all_of_it
#endif

static void* store_again(void* unused) {
  while (__atomic_load_n(&is_over, __ATOMIC_RELAXED) == 0) STORE();
  return unused;
}

static void* store_whole(void* unused) {
#ifdef HALVES
  __atomic_store_n(&word.half[0], 1, __ATOMIC_RELAXED);
  __atomic_store_n(&word.half[1], 1, __ATOMIC_RELAXED);
#else
  __atomic_store_n(&word.whole, 0x100000001, __ATOMIC_RELAXED);
#endif
  __atomic_store_n(&is_over, 1, __ATOMIC_RELAXED);
  return unused;
}

int main(void) {
  word.taken = 1;
  pthread_t again, once;
  pthread_create(&again, 0, store_again, 0);
  pthread_create(&once, 0, store_whole, 0);
  const uint64_t seen = READ();
  pthread_join(again, 0);
  pthread_join(once, 0);
  assert(seen == 0 || seen == 0x100000001);
}
