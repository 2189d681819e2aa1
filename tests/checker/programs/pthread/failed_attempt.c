// SPDX-License-Identifier: MIT
// Store buffering with a failed attempt, or a signal for nobody, between one side's store and load.
// To look at a semaphore or a read-write lock glibc needs a load, and it tries nothing where there
// is nothing to be had; so it is with a condition variable on which nobody waits. On x86 the store
// may wait in its buffer all the while. A mutex it tries with a locked instruction. What fails
// synchronises with nobody in the language.
//
// case: semaphore
// flags: -DATTEMPT=sem_trywait(&empty)
// expect: c++20=violated:assertion x86=violated:assertion sc=holds
//
// case: read_lock
// flags: -DATTEMPT=pthread_rwlock_tryrdlock(&written)
// expect: c++20=violated:assertion x86=violated:assertion sc=holds
//
// case: write_lock
// flags: -DATTEMPT=pthread_rwlock_trywrlock(&written)
// expect: c++20=violated:assertion x86=violated:assertion sc=holds
//
// case: mutex
// flags: -DATTEMPT=pthread_mutex_trylock(&held)
// expect: c++20=violated:assertion x86=holds sc=holds
//
// case: signal
// flags: -DATTEMPT=!pthread_cond_signal(&nobody_waits)
// expect: c++20=violated:assertion x86=violated:assertion sc=holds
//
// case: broadcast
// flags: -DATTEMPT=!pthread_cond_broadcast(&nobody_waits)
// expect: c++20=violated:assertion x86=violated:assertion sc=holds
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stddef.h>

static sem_t empty;
static pthread_rwlock_t written = PTHREAD_RWLOCK_INITIALIZER;
static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t nobody_waits = PTHREAD_COND_INITIALIZER;
static atomic_int x, y;
static int seen_x, seen_y;

static void* attempting(void* unused) {
  atomic_store_explicit(&x, 1, memory_order_relaxed);
  const int failed = ATTEMPT;
  assert(failed);
  seen_y = atomic_load_explicit(&y, memory_order_relaxed);
  return unused;
}

static void* fencing(void* unused) {
  atomic_store_explicit(&y, 1, memory_order_relaxed);
  atomic_thread_fence(memory_order_seq_cst);
  seen_x = atomic_load_explicit(&x, memory_order_relaxed);
  return unused;
}

int main(void) {
  sem_init(&empty, 0, 0);
  pthread_rwlock_wrlock(&written);
  pthread_mutex_lock(&held);
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, attempting, NULL);
  pthread_create(&threads[1], NULL, fencing, NULL);
  pthread_join(threads[0], NULL);
  pthread_join(threads[1], NULL);
  assert(seen_x || seen_y);
  return 0;
}
