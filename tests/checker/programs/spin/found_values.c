// SPDX-License-Identifier: MIT
// Loops that load a value once and try to exchange it until that succeeds, going on with what a
// failed attempt has found. A thread whose load had found that at once does the same without the
// attempt, so of every order of the threads there is one execution, THREADS! in all, unless
// something tells the two apart.
//
// case: adds_one
// options: --cc gcc
// flags: -DTHREADS=4
// expect: all=holds executions=24
//
// case: five_threads_add_one
// options: --cc gcc
// flags: -DTHREADS=5
// expect: c++20=holds executions=120 blocked=3905
//
// case: tests_it_first
// options: --cc gcc
// flags: -DTHREADS=4 -DTESTED
// expect: c++20=holds executions=24
//
// case: gives_up
// options: --cc gcc
// flags: -DTHREADS=3 -DGIVES_UP
// expect: c++20=holds executions=6
//
// case: pauses
// options: --cc gcc
// flags: -DTHREADS=4 -DPAUSED
// expect: c++20=holds executions=24
//
// case: pauses_longer_and_longer
// options: --cc gcc
// flags: -DTHREADS=4 -DPAUSED -DGROWING
// expect: c++20=holds executions=24
//
// case: pauses_from_the_third_round_on
// options: --cc gcc
// flags: -DTHREADS=4 -DPAUSED -DTHIRD
// expect: c++20=holds executions=24
//
// case: gives_up_in_the_third_round
// flags: -DTHREADS=3 -DPAUSED -DTHIRD -DGIVES_UP
// expect: all=violated:assertion
//
// case: loads_it_anew_while_it_is_locked
// options: --cc gcc
// flags: -DTHREADS=3 -DLOCKED
// expect: c++20=holds executions=6
//
// case: it_stays_locked
// flags: -DTHREADS=2 -DLOCKED -DFOR_EVER
// expect: all=violated:non-termination
//
// case: takes_another_value_after_the_attempt
// flags: -DTHREADS=3 -DTAKEN
// expect: all=violated:non-termination
//
// case: a_pointer_that_is_noted_in_each_round
// options: --cc gcc
// flags: -DTHREADS=4 -DPUSHED
// expect: c++20=holds executions=24
//
// case: expects_what_is_in_the_node
// options: --cc gcc
// flags: -DTHREADS=4 -DPUSHED -DIN_NODE
// expect: c++20=holds executions=24
//
// case: reads_through_the_pointer
// options: --cc gcc
// flags: -DTHREADS=3 -DPOPPED
// expect: c++20=holds executions=6
//
// case: another_is_read_in_each_round
// options: --cc gcc
// flags: -DTHREADS=4 -DANOTHER
// expect: c++20=holds executions=24
//
// case: computes_the_next_value_at_the_end
// options: --cc gcc
// flags: -DTHREADS=4 -DCOMPUTED=1
// expect: c++20=holds executions=24
//
// case: begins_with_a_constant
// options: --cc gcc
// flags: -DTHREADS=4 -DCONSTANT
// expect: c++20=holds executions=24
//
// case: computes_another_value_at_the_end
// flags: -DTHREADS=3 -DCOMPUTED=2
// expect: all=violated:assertion
//
// case: computes_it_before_the_attempt
// flags: -DTHREADS=2 -DCOMPUTED=1 -DBEFORE
// expect: all=violated:assertion
//
// case: looks_at_it_beside_the_attempt
// flags: -DTHREADS=2 -DCONSTANT -DLOOKS
// expect: all=violated:assertion
//
// case: what_the_load_found_is_used
// flags: -DTHREADS=3 -DFIRST
// expect: all=violated:assertion
//
// case: what_the_load_found_is_used_beside_it
// flags: -DTHREADS=3 -DFIRST -DBESIDE
// expect: all=violated:assertion
//
// case: rounds_are_counted
// flags: -DTHREADS=3 -DCOUNTED
// expect: all=violated:assertion
//
// case: rounds_are_counted_in_memory
// flags: -DTHREADS=3 -DCOUNTED -DIN_MEMORY
// expect: all=violated:assertion
//
// case: noted_on_one_way
// flags: -DTHREADS=3 -DNOTED
// expect: all=violated:assertion
//
// case: noted_where_the_value_says
// flags: -DTHREADS=3 -DNOTED -DWHERE
// expect: all=violated:assertion
//
// case: what_was_noted_before_is_read
// flags: -DTHREADS=3 -DKEPT
// expect: all=violated:assertion
//
// case: a_store_comes_between
// flags: -DTHREADS=2 -DBETWEEN
// expect: all=violated:assertion
//
// case: a_store_comes_in_between_rounds
// flags: -DTHREADS=2 -DBETWEEN -DIN_ROUND
// expect: all=violated:assertion
//
// case: another_compare_exchange_in_the_round
// flags: -DTHREADS=2 -DTWO
// expect: all=violated:assertion
//
// case: the_load_is_of_another_object
// flags: -DTHREADS=1 -DELSEWHERE
// expect: all=violated:assertion
//
// case: only_the_load_acquires
// flags: -DTHREADS=2 -DACQUIRES
// expect: c++20=violated:data-race
//
// case: the_attempts_acquire_too
// flags: -DTHREADS=2 -DACQUIRES -DATTEMPTS=memory_order_acquire
// expect: all=holds
//
// case: the_load_is_volatile
// flags: -DTHREADS=3 -DVOLATILE
// expect: all=violated:assertion
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>

typedef struct Node {
  struct Node* next;
} Node;

static atomic_long shared;
static atomic_long other;
static _Atomic(Node*) head;
static Node nodes[THREADS + 1];
static int published;
static long notes[THREADS];

static long load(void) { return atomic_load_explicit(&shared, memory_order_relaxed); }
static _Bool exchange(long* found) {
  return atomic_compare_exchange_weak_explicit(&shared, found, *found + 1, memory_order_relaxed,
                                               memory_order_relaxed);
}

static void* add(void* argument) {
  const long number = (long)argument;
  (void)number;
#if defined(TESTED)
  long found = load();
  while (found < THREADS && !exchange(&found)) {
  }
#elif defined(GIVES_UP) && !defined(PAUSED)
  long found = load();
  do {
    if (found == THREADS) return NULL;
  } while (!exchange(&found));
#elif defined(PAUSED)
  long found = load();
#if defined(GROWING) || defined(THIRD)
  int rounds = 0;
#endif
  for (;;) {
    if (exchange(&found)) break;
#if defined(THIRD) && defined(GIVES_UP)
    if (++rounds == 2) break;
#elif defined(THIRD)
    if (++rounds > 2) sched_yield();
#elif defined(GROWING)
    for (int i = 0; i < 1 << rounds; ++i) sched_yield();
    if (rounds < 6) ++rounds;
#else
    sched_yield();
#endif
  }
#elif defined(LOCKED)
  long found = load();
  for (;;) {
    if ((found & 1) != 0) {
      found = load();
      continue;
    }
    if (atomic_compare_exchange_weak_explicit(&shared, &found, found + 1, memory_order_acquire,
                                              memory_order_relaxed)) {
      break;
    }
  }
#ifndef FOR_EVER
  ++published;
  atomic_fetch_add_explicit(&shared, published == THREADS ? 1 - THREADS : 1, memory_order_release);
#endif
#elif defined(TAKEN)
  long found = load();
  while (!exchange(&found)) found = 1;
#elif defined(PUSHED)
  Node* const node = &nodes[number];
#ifdef IN_NODE
  node->next = atomic_load_explicit(&head, memory_order_relaxed);
  while (!atomic_compare_exchange_weak_explicit(&head, &node->next, node, memory_order_release,
                                                memory_order_relaxed)) {
  }
#else
  Node* found = atomic_load_explicit(&head, memory_order_relaxed);
  do {
    node->next = found;
  } while (!atomic_compare_exchange_weak_explicit(&head, &found, node, memory_order_release,
                                                  memory_order_relaxed));
#endif
#elif defined(POPPED)
  Node* found = atomic_load_explicit(&head, memory_order_acquire);
  while (found != NULL &&
         !atomic_compare_exchange_weak_explicit(&head, &found, found->next, memory_order_acquire,
                                                memory_order_acquire)) {
  }
#elif defined(ANOTHER)
  long found = load();
  long more;
  do {
    more = atomic_load_explicit(&other, memory_order_relaxed);
  } while (!atomic_compare_exchange_weak_explicit(&shared, &found, found + more + 1,
                                                  memory_order_relaxed, memory_order_relaxed));
#elif defined(COMPUTED)
  long found = load();
  long next = found + 1;
#ifdef BEFORE
  for (;;) {
    const long after = found + COMPUTED;
    if (atomic_compare_exchange_strong(&shared, &found, next)) break;
    next = after;
  }
#else
  while (!atomic_compare_exchange_strong(&shared, &found, next)) next = found + COMPUTED;
#endif
#elif defined(CONSTANT)
  long found = 0;
  do {
#ifdef LOOKS
    if (load() != 0 && found == 0) return NULL;
#endif
  } while (!exchange(&found));
#ifdef LOOKS
  assert(found == 0);
#endif
#elif defined(FIRST)
#ifdef BESIDE
  const long first = load();
  long found = first;
#else
  long found = load();
  const long first = found;
#endif
  while (!exchange(&found)) {
  }
  assert(found - first < 2);
#elif defined(COUNTED)
#ifdef IN_MEMORY
  notes[number] = 0;
#define ROUNDS notes[number]
#else
  int rounds = 0;
#define ROUNDS rounds
#endif
  long found = load();
  do {
    ++ROUNDS;
  } while (!exchange(&found));
  assert(ROUNDS < 3);
#elif defined(NOTED)
#ifdef WHERE
  char seen[THREADS] = {0};
#define NOTE seen[found] = 1
#define IS_NOTED seen[1]
#else
#define NOTE \
  if (found == 1) notes[number] = 1
#define IS_NOTED notes[number]
#endif
  long found = load();
  do {
    NOTE;
  } while (!exchange(&found));
  assert(found != 2 || !IS_NOTED);
#elif defined(KEPT)
  notes[number] = 0;
  long found = load();
  long before;
  do {
    before = notes[number];
    notes[number] = found;
  } while (!exchange(&found));
  assert(found != 2 || before != 1);
#elif defined(BETWEEN)
  if (number == 0) {
    if (atomic_load_explicit(&other, memory_order_relaxed) == 1) {
      atomic_fetch_add_explicit(&shared, 1, memory_order_relaxed);
    }
    return NULL;
  }
  long found = load();
#ifndef IN_ROUND
  atomic_store_explicit(&other, 1, memory_order_relaxed);
#endif
  do {
#ifdef IN_ROUND
    atomic_store_explicit(&other, 1, memory_order_relaxed);
#endif
  } while (!exchange(&found));
  assert(found == 0);
#elif defined(TWO)
  long found = load();
  long seen = 0;
  do {
    seen = 0;
    atomic_compare_exchange_strong(&other, &seen, number + 1);
  } while (!exchange(&found));
  assert(found == 0 || seen != number + 1);
#elif defined(ELSEWHERE)
  long found = atomic_load_explicit(&other, memory_order_relaxed);
  while (!atomic_compare_exchange_strong(&shared, &found, found + 1)) {
  }
  assert(found != 7);
#elif defined(ACQUIRES)
#ifndef ATTEMPTS
#define ATTEMPTS memory_order_relaxed
#endif
  if (number == 0) {
    published = 1;
    atomic_store_explicit(&shared, 1, memory_order_release);
    return NULL;
  }
  long found = atomic_load_explicit(&shared, memory_order_acquire);
  while (!atomic_compare_exchange_strong_explicit(&shared, &found, found + 1, ATTEMPTS, ATTEMPTS)) {
  }
  if (found == 1) assert(published == 1);
#elif defined(VOLATILE)
  volatile long rounds = 0;
  long found = load();
  do {
    rounds = rounds + 1;
  } while (!exchange(&found));
  assert(rounds < 3);
#else
  long found = load();
  while (!exchange(&found)) {
  }
#endif
  return NULL;
}

int main(void) {
#ifdef ELSEWHERE
  atomic_init(&shared, 7);
#endif
#ifdef POPPED
  for (int i = 0; i < THREADS; ++i) nodes[i].next = &nodes[i + 1];
  atomic_init(&head, nodes);
#endif
  pthread_t threads[THREADS];
  for (long i = 0; i < THREADS; ++i) pthread_create(&threads[i], NULL, add, (void*)i);
  for (int i = 0; i < THREADS; ++i) pthread_join(threads[i], NULL);
#if defined(PUSHED)
  int count = 0;
  for (Node* n = atomic_load(&head); n != NULL; n = n->next) ++count;
  assert(count == THREADS);
#elif defined(POPPED)
  assert(atomic_load(&head) == &nodes[THREADS]);
#elif !defined(BETWEEN) && !defined(LOOKS) && !defined(ELSEWHERE) && !defined(ACQUIRES)
  assert(shared == THREADS);
#endif
}
