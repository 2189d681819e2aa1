/* SPDX-License-Identifier: MIT
 *
 * A pipeline in C: one thread reads records, another adds them up. The ring is the only thing they
 * share; closing it is how the reader says that there is no more. */
#include <fencepost/fencepost.h>
#include <pthread.h>
#include <stdio.h>

struct record {
  int account;
  long amount;
};

static void* read_records(void* argument) {
  fencepost_spsc_ring* ring = argument;
  for (int n = 0; n < 100000; ++n) {
    const struct record record = {n % 3, n};
    if (fencepost_spsc_ring_push(ring, &record) != 0) break; /* closed by the other side */
  }
  fencepost_spsc_ring_close(ring);
  return NULL;
}

int main(void) {
  fencepost_spsc_ring ring;
  if (fencepost_spsc_ring_init(&ring, sizeof(struct record), 256, NULL, 0, 0) != 0) return 1;
  pthread_t reader;
  if (pthread_create(&reader, NULL, read_records, &ring) != 0) return 1;

  long balance[3] = {0, 0, 0};
  long records = 0;
  struct record record;
  while (fencepost_spsc_ring_pop(&ring, &record) == 0) {
    balance[record.account] += record.amount;
    ++records;
  }

  pthread_join(reader, NULL);
  printf("%ld records; %ld, %ld, %ld\n", records, balance[0], balance[1], balance[2]);
  const int destroyed = fencepost_spsc_ring_destroy(&ring);
  return destroyed == 0 && records == 100000 ? 0 : 1;
}
