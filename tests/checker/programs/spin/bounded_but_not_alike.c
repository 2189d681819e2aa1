// SPDX-License-Identifier: MIT
// Loops whose rounds change more than a counter: --bounded-spins passes none of their rounds, and
// finds what there is.
//
// case: adds_up
// flags: -DADDS_UP
// options: --bounded-spins
// expect: all=assertion
//
// case: remembers
// flags: -DREMEMBERS
// options: --bounded-spins
// expect: all=assertion
//
// case: writes
// flags: -DWRITES
// options: --bounded-spins
// expect: all=data-race
//
// How many rounds have seen 1 others can tell, whatever the counter was.
// case: counts_for_others
// flags: -DCOUNTS
// options: --bounded-spins
// expect: all=assertion
//
// The number of rounds is asked for, and one in the last round or after it.
// case: number_of_rounds
// flags: -DNUMBER
// options: --bounded-spins
// expect: all=assertion
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

enum { kRounds = 12 };
static atomic_int x, times;
static int rounds;

static int look(void) { return atomic_load_explicit(&x, memory_order_relaxed); }

static void* spin(void* unused) {
#if defined(ADDS_UP)  // 0 ten times, 1, 2
  int sum = 0;
  for (int i = 0; i < kRounds; ++i) sum += look();
  assert(sum != 3);
#elif defined(REMEMBERS)  // all of them
  int seen = 0;
  for (int i = 0; i < kRounds; ++i) seen |= 1 << look();
  assert(seen != 7);
#elif defined(COUNTS)
  for (int i = 0; i < kRounds; ++i) {
    const int v = look();
    if (v == 1) atomic_fetch_add_explicit(&times, 1, memory_order_relaxed);
    if (v == 2) return unused;
  }
  assert(atomic_load_explicit(&times, memory_order_relaxed) != 5);
#elif defined(WRITES)
  for (int i = 0; i < kRounds && look() != 2; ++i) rounds = i;
#else
  int i = 0;
  while (i < kRounds && look() != 2) ++i;
  assert(i != kRounds);
#endif
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, spin, 0);
  rounds = 1;
  atomic_store_explicit(&x, 1, memory_order_relaxed);
  atomic_store_explicit(&x, 2, memory_order_relaxed);
  pthread_join(thread, 0);
  return 0;
}
