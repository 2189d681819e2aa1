// SPDX-License-Identifier: MIT
// A counting semaphore on a futex: the count and the number of waiters share no word, so the post
// and the wait must agree on an order.
//
// case: seq_cst
// flags: -DORDERING=memory_order_seq_cst
// expect: all=holds
//
// case: acquire_release
// flags: -DORDERING=memory_order_acq_rel
// expect: c++20=violated:lost-wakeup x86=holds sc=holds at=sleep
#include <assert.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LOADING (ORDERING == memory_order_seq_cst ? memory_order_seq_cst : memory_order_acquire)

static atomic_int count;
static atomic_int waiters;

static int try_wait(void) {
  int seen = atomic_load_explicit(&count, LOADING);
  while (seen > 0) {
    if (atomic_compare_exchange_weak_explicit(&count, &seen, seen - 1, ORDERING, LOADING)) {
      return 1;
    }
  }
  return 0;
}

static void* wait_for_it(void* unused) {
  (void)unused;
  atomic_fetch_add_explicit(&waiters, 1, ORDERING);
  while (!try_wait()) {
    syscall(SYS_futex, &count, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);  // @sleep
  }
  atomic_fetch_sub_explicit(&waiters, 1, ORDERING);
  return NULL;
}

static void* post(void* unused) {
  (void)unused;
  atomic_fetch_add_explicit(&count, 1, ORDERING);
  if (atomic_load_explicit(&waiters, LOADING) > 0) {
    syscall(SYS_futex, &count, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
  }
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, wait_for_it, NULL);
  pthread_create(&b, NULL, post, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  assert(atomic_load(&count) == 0);
  return 0;
}
