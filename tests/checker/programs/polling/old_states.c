// SPDX-License-Identifier: MIT
// An attempt at a lock that nobody uses any more. Whoever knows that only from a relaxed access has
// not synchronised with the poller, so under C++20 he may still find the lock held, as it was in
// one of the rounds: the poller goes round a lock until it is told, and does not use it afterwards.
//
// case: relaxed
// flags: -DORDER=memory_order_relaxed
// expect: c++20=violated:assertion x86=holds sc=holds at=attempt
//
// case: relaxed_not_optimised
// flags: -DORDER=memory_order_relaxed -O0
// expect: c++20=violated:assertion x86=holds sc=holds at=attempt
//
// case: acquire
// flags: -DORDER=memory_order_acquire
// expect: all=holds
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static atomic_int told, gone;

static void* poll(void* argument) {
  while (!atomic_load_explicit(&told, memory_order_relaxed)) {
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
  }
  atomic_store_explicit(&gone, 1, memory_order_release);
  return argument;
}

int main(void) {
  pthread_t poller;
  pthread_create(&poller, NULL, poll, NULL);
  atomic_store_explicit(&told, 1, memory_order_relaxed);
  while (!atomic_load_explicit(&gone, ORDER)) {
  }
  assert(pthread_mutex_trylock(&mutex) == 0);  // @attempt
  pthread_mutex_unlock(&mutex);
  pthread_join(poller, NULL);
  return 0;
}
