// SPDX-License-Identifier: MIT
// Loops that load a value and try to exchange it until that succeeds. What a failed attempt has
// found is loaded anew, so a round that fails leaves nothing behind: of every order of the threads
// there is one execution, THREADS! in all. Where the round's value is used later, there are more.
//
// case: declared_outside
// options: --cc gcc
// flags: -DTHREADS=4
// expect: c++20=holds executions=24 blocked=256
//
// case: declared_inside
// options: --cc gcc
// flags: -DTHREADS=4 -DINSIDE
// expect: c++20=holds executions=24
//
// case: a_pointer
// options: --cc gcc
// flags: -DTHREADS=4 -DPOINTER
// expect: c++20=holds executions=24
//
// case: another_value_in_a_register
// options: --cc gcc
// flags: -DTHREADS=4 -DANOTHER
// expect: c++20=holds executions=24
//
// case: what_was_found_is_used
// flags: -DTHREADS=3 -DUSED
// expect: all=violated:assertion
//
// case: what_was_found_is_used_on_one_way
// flags: -DTHREADS=3 -DUSED -DONE_WAY
// expect: all=violated:assertion
//
// case: what_was_found_is_used_by_the_next_loop
// flags: -DTHREADS=3 -DNEXT
// expect: all=violated:assertion
//
// case: rounds_are_counted
// flags: -DTHREADS=3 -DCOUNTED
// expect: all=violated:assertion
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static char cells[THREADS + 1];

#ifdef POINTER
typedef char* Value;
static _Atomic(char*) shared = cells;
#else
typedef long Value;
static atomic_long shared;
#endif
static atomic_int other;

static void* add(void* nothing) {
#if defined(INSIDE)
  for (;;) {
    Value found = atomic_load_explicit(&shared, memory_order_relaxed);
    if (atomic_compare_exchange_strong(&shared, &found, found + 1)) break;
  }
#elif defined(ANOTHER)
  Value found;
  int seen;
  do {
    seen = atomic_load_explicit(&other, memory_order_relaxed);
    found = atomic_load_explicit(&shared, memory_order_relaxed) + seen;
  } while (!atomic_compare_exchange_strong(&shared, &found, found + 1));
#elif defined(USED)
  Value found = 0, before = 0;
  do {
#ifdef ONE_WAY
    if (found == 2) before = found;
#else
    before = found;
#endif
    found = atomic_load_explicit(&shared, memory_order_relaxed);
  } while (!atomic_compare_exchange_strong(&shared, &found, found + 1));
  assert(before != 2);
#elif defined(NEXT)
  Value found = 0;
  for (int attempts = 0; attempts < 2; ++attempts) {
    found = atomic_load_explicit(&shared, memory_order_relaxed);
    if (atomic_compare_exchange_strong(&shared, &found, found + 1)) return nothing;
  }
  assert(found != 2);
#elif defined(COUNTED)
  Value found;
  int rounds = 0;
  do {
    ++rounds;
    found = atomic_load_explicit(&shared, memory_order_relaxed);
  } while (!atomic_compare_exchange_strong(&shared, &found, found + 1));
  assert(rounds < 3);
#else
  Value found;
  do {
    found = atomic_load_explicit(&shared, memory_order_relaxed);
  } while (!atomic_compare_exchange_strong(&shared, &found, found + 1));
#endif
  return nothing;
}

int main(void) {
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; ++i) pthread_create(&threads[i], NULL, add, NULL);
  for (int i = 0; i < THREADS; ++i) pthread_join(threads[i], NULL);
#ifdef POINTER
  assert(shared == cells + THREADS);
#else
  assert(shared == THREADS);
#endif
}
