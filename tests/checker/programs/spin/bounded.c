// SPDX-License-Identifier: MIT
// Two threads spin on a flag for a number of rounds before they give up. With --bounded-spins they
// see it in the first rounds, in the last, or not at all, and there is a verdict however many
// rounds there are. What gcc's plugin proves of such loops needs no option: bounded_proved.c.
//
// case: upwards
// flags: -DROUNDS=20000
// options: --bounded-spins
// expect: all=holds
//
// case: downwards
// flags: -DROUNDS=20000 -DDOWNWARDS
// options: --bounded-spins
// expect: all=holds
//
// case: counter_in_memory
// flags: -DROUNDS=20000 -DIN_MEMORY
// options: --bounded-spins
// expect: all=holds
//
// case: doubling_pauses
// flags: -DROUNDS=20000 -DBACKOFF
// options: --bounded-spins
// expect: all=holds
//
// clang keeps two counters, or three.
// case: two_counters
// flags: -DROUNDS=20000 -DIN_MEMORY -O2
// options: --bounded-spins --cc clang-14
// expect: all=holds
//
// case: three_counters
// flags: -DROUNDS=20000 -DBACKOFF -O2
// options: --bounded-spins --cc clang-14
// expect: all=holds
//
// case: seen_without_order
// flags: -DROUNDS=20000 -DORDER=memory_order_relaxed
// options: --bounded-spins
// expect: all=data-race at=read
//
// case: fails_if_seen
// flags: -DROUNDS=20000 -DEXPECT_UNSEEN
// options: --bounded-spins
// expect: all=assertion at=unseen
//
// case: fails_if_rounds_run_out
// flags: -DROUNDS=20000 -DEXPECT_SEEN
// options: --bounded-spins
// expect: all=assertion at=seen
//
// Where nothing is proved of the loop and the option is not given there are too many outcomes, or
// events.
// case: as_written
// flags: -DROUNDS=20000 -DIN_MEMORY
// expect: c++20=inconclusive
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>

#ifndef ORDER
#define ORDER memory_order_acquire
#endif

static atomic_int ready;
static int data;

static bool is_ready(void) { return atomic_load_explicit(&ready, ORDER) != 0; }

static bool spin(void) {
#if defined(DOWNWARDS)
  int left = ROUNDS;
  while (!is_ready()) {
    if (left-- == 0) return false;
  }
  return true;
#elif defined(IN_MEMORY)
  for (volatile int i = 0; i < ROUNDS; i = i + 1) {
    if (is_ready()) return true;
  }
  return false;
#elif defined(BACKOFF)
  int pauses = 1;
  for (int i = 0; i < ROUNDS; ++i) {
    if (is_ready()) return true;
    for (int k = 0; k < pauses; ++k) __asm__ volatile("");
    if (pauses < 16) pauses *= 2;
    sched_yield();
  }
  return false;
#else
  for (int i = 0; i < ROUNDS; ++i) {
    if (is_ready()) return true;
  }
  return false;
#endif
}

static void* wait_for_it(void* unused) {
  const bool seen = spin();
#ifdef EXPECT_SEEN
  assert(seen);  // @seen
#endif
#ifdef EXPECT_UNSEEN
  assert(!seen);  // @unseen
#endif
  if (seen) assert(data == 1);  // @read
  return unused;
}

int main(void) {
  pthread_t first, second;
  pthread_create(&first, 0, wait_for_it, 0);
  pthread_create(&second, 0, wait_for_it, 0);
  data = 1;
  atomic_store_explicit(&ready, 1, memory_order_release);
  pthread_join(first, 0);
  pthread_join(second, 0);
  return 0;
}
