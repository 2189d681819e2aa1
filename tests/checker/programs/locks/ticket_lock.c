// SPDX-License-Identifier: MIT
// A ticket lock admits its takers in one order an execution.
//
// case: two_threads
// flags: -DTHREADS=2
// expect: all=holds executions=2
//
// case: three_threads
// flags: -DTHREADS=3
// expect: all=holds executions=6
//
// case: relaxed_release
// flags: -DTHREADS=2 -DRELEASE=relaxed
// expect: all=violated:data-race at=race
//
// case: relaxed_acquire
// flags: -DTHREADS=2 -DACQUIRE=relaxed
// expect: all=violated:data-race at=race
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifndef RELEASE
#define RELEASE release
#endif
#ifndef ACQUIRE
#define ACQUIRE acquire
#endif
#define ORDER_(name) memory_order_##name
#define ORDER(name) ORDER_(name)

static atomic_uint next_ticket;
static atomic_uint now_serving;
static int counter;

static void lock(void) {
  unsigned mine = atomic_fetch_add_explicit(&next_ticket, 1, memory_order_relaxed);
  while (atomic_load_explicit(&now_serving, ORDER(ACQUIRE)) != mine)
    ;
}

static void unlock(void) {
  unsigned served = atomic_load_explicit(&now_serving, memory_order_relaxed);
  atomic_store_explicit(&now_serving, served + 1, ORDER(RELEASE));
}

static void* add_one(void* unused) {
  (void)unused;
  lock();
  counter++;  // @race
  unlock();
  return NULL;
}

int main(void) {
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, add_one, NULL);
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
  assert(counter == THREADS);
  return 0;
}
