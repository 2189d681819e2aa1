// SPDX-License-Identifier: MIT
// Concurrency Kit's ring, on C11.
//
// case: one_producer_one_consumer
// expect: c++20=holds
//
// A producer waits until the one before it has published, and publishes for both: but nothing
// acquires what it waited for. AArch64 orders it by the branch, POWER by the cumulative lwsync.
//
// case: two_producers_one_consumer
// flags: -DTWO_PRODUCERS
// expect: c++20=violated:data-race
//
// case: two_producers_one_consumer_if_the_wait_acquires
// flags: -DTWO_PRODUCERS -DPORT_READ=__ATOMIC_ACQUIRE
// expect: c++20=holds
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

#include "ck_on_c11.h"

static ck_ring_t ring;
static ck_ring_buffer_t buffer[4];
static int items[2];

static void* produce(void* which) {
  int* item = which;
  *item = 42;
#ifdef TWO_PRODUCERS
  const bool done = ck_ring_enqueue_mpsc(&ring, buffer, item);
#else
  const bool done = ck_ring_enqueue_spsc(&ring, buffer, item);
#endif
  assert(done);
  return NULL;
}

static void consume(void) {
  void* item = NULL;
#ifdef TWO_PRODUCERS
  const bool done = ck_ring_dequeue_mpsc(&ring, buffer, &item);
#else
  const bool done = ck_ring_dequeue_spsc(&ring, buffer, &item);
#endif
  if (done) assert(*(int*)item == 42);
}

int main(void) {
  pthread_t first;
  ck_ring_init(&ring, 4);
  pthread_create(&first, NULL, produce, &items[0]);
#ifdef TWO_PRODUCERS
  pthread_t second;
  pthread_create(&second, NULL, produce, &items[1]);
#endif
  consume();
  pthread_join(first, NULL);
#ifdef TWO_PRODUCERS
  pthread_join(second, NULL);
#endif
  return 0;
}
