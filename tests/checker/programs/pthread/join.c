// SPDX-License-Identifier: MIT
// Joining: what it orders, what it returns, and what can never be joined.
//
// case: returns_the_result
// expect: all=holds executions=1
//
// case: result_through_pthread_exit
// flags: -DEXIT
// expect: all=holds executions=1
//
// case: read_before_the_join
// flags: -DEARLY
// expect: all=violated:data-race at=race
//
// case: three_join_in_a_circle
// flags: -DCIRCLE
// expect: all=violated:deadlock at=join
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifdef CIRCLE
static pthread_t threads[3];
static atomic_bool created;

static void* join_next(void* argument) {
  pthread_t* next = argument;
  while (!atomic_load_explicit(&created, memory_order_acquire))
    ;
  pthread_join(*next, NULL);  // @join
  return NULL;
}

int main(void) {
  for (int i = 0; i < 3; i++) pthread_create(&threads[i], NULL, join_next, &threads[(i + 1) % 3]);
  atomic_store_explicit(&created, 1, memory_order_release);
  pthread_exit(NULL);
}
#else
static int answer;

static void give_up(void* result) {
#ifdef EXIT
  pthread_exit(result);
#else
  (void)result;
#endif
}

static void* think(void* argument) {
  answer = 42;  // @race
  give_up(argument);
  return argument;
}

int main(void) {
  pthread_t thinker;
  void* result = NULL;
  pthread_create(&thinker, NULL, think, &answer);
#ifdef EARLY
  assert(answer == 0 || answer == 42);  // @race
#endif
  assert(pthread_join(thinker, &result) == 0);
  assert(result == &answer);
  assert(answer == 42);
  return 0;
}
#endif
