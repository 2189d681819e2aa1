/* SPDX-License-Identifier: MIT
 *
 * Two processes that share everything. */
#include <stddef.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "lock.h"
#include "parcel.h"

struct between {
  fencepost_mutex mutex;
  fencepost_futex_mutex futex_mutex;
  fencepost_event_mutex event_mutex[3];
  fencepost_spin_mutex spin_mutex;
  fencepost_event_count counts[3];
  fencepost_spsc_ring ring;
  fencepost_mpmc_ring crowd;
  long guarded[6];
  long letters[3];
  _Alignas(max_align_t) unsigned char cells[4096];
  _Alignas(max_align_t) unsigned char turns[4096];
};

static void* mapped(size_t size) {
  void* memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  CHECK(memory != MAP_FAILED);
  return memory;
}

enum { process_rounds = 5000 };

static void use_the_locks(struct between* b) {
  const struct lock all[6] = {
      LOCK(mutex, b->mutex),
      LOCK(futex_mutex, b->futex_mutex),
      LOCK(event_mutex, b->event_mutex[0]),
      LOCK(event_mutex, b->event_mutex[1]),
      LOCK(event_mutex, b->event_mutex[2]),
      LOCK(spin_mutex, b->spin_mutex),
  };
  for (int kind = 0; kind < 6; ++kind) {
    for (int n = 0; n < process_rounds; ++n) {
      all[kind].lock(all[kind].object);
      ++b->guarded[kind];
      all[kind].unlock(all[kind].object);
    }
  }
}

static void child(struct between* b) {
  use_the_locks(b);
  for (int kind = 0; kind < 3; ++kind) {
    for (uint32_t n = 0; n < process_rounds; ++n) {
      b->letters[kind] = (long)n + 1;
      fencepost_event_count_increment(&b->counts[kind]);
    }
  }
  for (uint32_t n = 0; n < process_rounds; ++n) {
    const struct parcel parcel = parcel_of(1, n);
    CHECK(fencepost_spsc_ring_push(&b->ring, &parcel) == 0);
    CHECK(fencepost_mpmc_ring_push(&b->crowd, &parcel) == 0);
  }
  fencepost_spsc_ring_close(&b->ring);
  fencepost_mpmc_ring_close(&b->crowd);
  _exit(0);
}

void two_processes_share_everything(void) {
  struct between* b = mapped(sizeof *b);
  CHECK(fencepost_mutex_init(&b->mutex, FENCEPOST_INTERPROCESS) == 0);
  CHECK(fencepost_futex_mutex_init(&b->futex_mutex, FENCEPOST_INTERPROCESS) == 0);
  static const unsigned orderings[3] = {FENCEPOST_ASYMMETRIC, FENCEPOST_EXCHANGE,
                                        FENCEPOST_SEQ_CST};
  static const unsigned kinds[3] = {0, FENCEPOST_ONE_PRODUCER, FENCEPOST_TWO_WORDS};
  for (int n = 0; n < 3; ++n) {
    CHECK(fencepost_event_mutex_init(&b->event_mutex[n], orderings[n] | FENCEPOST_INTERPROCESS) ==
          0);
    CHECK(fencepost_event_count_init(&b->counts[n], kinds[n] | FENCEPOST_INTERPROCESS) == 0);
  }
  fencepost_spin_mutex_init(&b->spin_mutex);
  CHECK(fencepost_spsc_ring_init(&b->ring, sizeof(struct parcel), 7, b->cells, sizeof b->cells,
                                 FENCEPOST_INTERPROCESS) == 0);
  CHECK(fencepost_mpmc_ring_init(&b->crowd, sizeof(struct parcel), 7, b->turns, sizeof b->turns,
                                 FENCEPOST_INTERPROCESS) == 0);
  const pid_t other = fork();
  CHECK(other >= 0);
  if (other == 0) child(b);
  use_the_locks(b);
  for (int kind = 0; kind < 3; ++kind) {
    uint32_t seen = 0;
    while (seen != process_rounds) seen = fencepost_event_count_wait(&b->counts[kind], seen);
    CHECK(b->letters[kind] == process_rounds);
  }
  for (uint32_t n = 0; n < process_rounds; ++n) {
    struct parcel parcel;
    CHECK(fencepost_spsc_ring_pop(&b->ring, &parcel) == 0);
    is_intact(&parcel);
    CHECK(parcel.number == n);
    CHECK(fencepost_mpmc_ring_pop(&b->crowd, &parcel) == 0);
    is_intact(&parcel);
    CHECK(parcel.number == n);
  }
  struct parcel parcel;
  CHECK(fencepost_spsc_ring_pop(&b->ring, &parcel) == EPIPE);
  CHECK(fencepost_mpmc_ring_pop(&b->crowd, &parcel) == EPIPE);
  int status = 0;
  CHECK(waitpid(other, &status, 0) == other);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  for (int kind = 0; kind < 6; ++kind) CHECK(b->guarded[kind] == 2L * process_rounds);
  CHECK(munmap(b, sizeof *b) == 0);
}
