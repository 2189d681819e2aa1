/* SPDX-License-Identifier: MIT
 *
 * Rings: order, nothing lost, and what they say at their edges. */
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "parcel.h"
#include "sleeper.h"

enum { parcels = 40000 };

static void* push_in_order(void* argument) {
  fencepost_spsc_ring* ring = argument;
  for (uint32_t n = 0; n < parcels;) {
    const struct parcel parcel = parcel_of(0, n);
    struct parcel several[3] = {parcel, parcel_of(0, n + 1), parcel_of(0, n + 2)};
    switch (n % 5) {
      case 0:
        CHECK(fencepost_spsc_ring_push(ring, &parcel) == 0);
        ++n;
        break;
      case 1: {
        const int error = fencepost_spsc_ring_try_push(ring, &parcel);
        CHECK(error == 0 || error == EAGAIN);
        if (error == EAGAIN) sched_yield();
        n += error == 0;
        break;
      }
      case 2: {
        const int error = fencepost_spsc_ring_push_for(ring, &parcel, &a_while);
        CHECK(error == 0 || error == ETIMEDOUT);
        n += error == 0;
        break;
      }
      case 3:
        CHECK(fencepost_spsc_ring_push_until(ring, &parcel, NULL) == 0);
        ++n;
        break;
      default: {
        const size_t all = parcels - n < 3 ? parcels - n : 3;
        const size_t done = fencepost_spsc_ring_try_push_n(ring, several, all);
        CHECK(done <= all);
        if (done == 0) sched_yield();
        n += (uint32_t)done;
      }
    }
  }
  fencepost_spsc_ring_close(ring);
  return NULL;
}

static void pop_in_order(fencepost_spsc_ring* ring) {
  uint32_t n = 0;
  for (;;) {
    struct parcel several[4];
    size_t done = 0;
    int error = 0;
    switch (n % 4) {
      case 0:
        error = fencepost_spsc_ring_pop(ring, several);
        break;
      case 1:
        error = fencepost_spsc_ring_try_pop(ring, several);
        break;
      case 2:
        error = fencepost_spsc_ring_pop_for(ring, several, &a_while);
        break;
      default:
        done = fencepost_spsc_ring_try_pop_n(ring, several, 4);
        if (done == 0) error = fencepost_spsc_ring_pop_until(ring, several, NULL);
    }
    if (error == EPIPE) break;
    CHECK(error == 0 || error == EAGAIN || error == ETIMEDOUT);
    if (error == EAGAIN) sched_yield();
    if (error == 0 && done == 0) done = 1;
    for (size_t m = 0; m < done; ++m) {
      is_intact(&several[m]);
      CHECK(several[m].number == n++);
    }
  }
  CHECK(n == parcels);
}

void an_spsc_ring_keeps_the_order(void) {
  static const size_t capacities[] = {1, 3, 64};
  for (int n = 0; n < 3; ++n) {
    fencepost_spsc_ring ring;
    CHECK(fencepost_spsc_ring_init(&ring, sizeof(struct parcel), capacities[n], NULL, 0, 0) == 0);
    CHECK(fencepost_spsc_ring_capacity(&ring) == capacities[n]);
    pthread_t other = start(push_in_order, &ring);
    pop_in_order(&ring);
    finish(other);
    CHECK(fencepost_spsc_ring_closed(&ring));
    CHECK(fencepost_spsc_ring_destroy(&ring) == 0);
  }
}

struct crowd {
  fencepost_mpmc_ring ring;
  _Atomic uint32_t next_producer;
  _Atomic long popped;
  _Atomic long sum;
};

static void* push_as_one_of_many(void* argument) {
  struct crowd* crowd = argument;
  const uint32_t self = crowd->next_producer++;
  for (uint32_t n = 0; n < parcels / 4; ++n) {
    const struct parcel parcel = parcel_of(self, n);
    if (n % 2 == 0) {
      CHECK(fencepost_mpmc_ring_push(&crowd->ring, &parcel) == 0);
    } else {
      while (fencepost_mpmc_ring_push_for(&crowd->ring, &parcel, &a_while) != 0) continue;
    }
  }
  return NULL;
}

static void* pop_as_one_of_many(void* argument) {
  struct crowd* crowd = argument;
  int64_t last[2] = {-1, -1};
  for (;;) {
    struct parcel parcel;
    const int error = fencepost_mpmc_ring_pop(&crowd->ring, &parcel);
    if (error == EPIPE) return NULL;
    CHECK(error == 0);
    is_intact(&parcel);
    CHECK(parcel.producer < 2 && parcel.number > last[parcel.producer]);
    last[parcel.producer] = parcel.number;
    ++crowd->popped;
    crowd->sum += parcel.number;
  }
}

void an_mpmc_ring_loses_nothing(void) {
  static const size_t capacities[] = {1, 3, 64};
  static const size_t rounded[] = {1, 4, 64};
  for (int n = 0; n < 3; ++n) {
    struct crowd crowd;
    crowd.next_producer = 0;
    crowd.popped = 0;
    crowd.sum = 0;
    CHECK(fencepost_mpmc_ring_init(&crowd.ring, sizeof(struct parcel), capacities[n], NULL, 0, 0) ==
          0);
    CHECK(fencepost_mpmc_ring_capacity(&crowd.ring) == rounded[n]);
    pthread_t producers[2];
    pthread_t consumers[2];
    for (int m = 0; m < 2; ++m) producers[m] = start(push_as_one_of_many, &crowd);
    for (int m = 0; m < 2; ++m) consumers[m] = start(pop_as_one_of_many, &crowd);
    for (int m = 0; m < 2; ++m) finish(producers[m]);
    fencepost_mpmc_ring_close(&crowd.ring);
    for (int m = 0; m < 2; ++m) finish(consumers[m]);
    CHECK(crowd.popped == parcels / 2);
    CHECK(crowd.sum == 2L * (parcels / 4) * (parcels / 4 - 1) / 2);
    CHECK(fencepost_mpmc_ring_destroy(&crowd.ring) == 0);
  }
}

#define EDGE_TESTS(name)                                                                      \
  static void* name##_waits_for_the_end(void* argument) {                                     \
    struct sleeper* self = argument;                                                          \
    int element;                                                                              \
    self->thread = gettid();                                                                  \
    CHECK(fencepost_##name##_pop(self->ring, &element) == EPIPE);                             \
    return NULL;                                                                              \
  }                                                                                           \
  void name##_says_full_empty_closed(void) {                                                  \
    fencepost_##name ring;                                                                    \
    _Alignas(max_align_t) unsigned char memory[256];                                          \
    const size_t need = fencepost_##name##_memory(sizeof(int), 4);                            \
    CHECK(need >= 4 * sizeof(int) && need <= sizeof memory - 1);                              \
    errno = 4711;                                                                             \
    CHECK(fencepost_##name##_memory(0, 4) == 0);                                              \
    CHECK(fencepost_##name##_memory(4, 0) == 0);                                              \
    CHECK(fencepost_##name##_memory(4, SIZE_MAX) == 0);                                       \
    CHECK(fencepost_##name##_memory(SIZE_MAX, 4) == 0);                                       \
    CHECK(fencepost_##name##_memory(SIZE_MAX / 8, 1024) == 0);                                \
    CHECK(fencepost_##name##_init(&ring, 0, 4, NULL, 0, 0) == EINVAL);                        \
    CHECK(fencepost_##name##_init(&ring, 4, 0, NULL, 0, 0) == EINVAL);                        \
    CHECK(fencepost_##name##_init(&ring, 4, 4, memory, need - 1, 0) == EINVAL);               \
    CHECK(fencepost_##name##_init(&ring, 4, 4, memory + 1, need, 0) == EINVAL);               \
    CHECK(fencepost_##name##_init(&ring, SIZE_MAX / 64, 16, NULL, 0, 0) == ENOMEM);           \
    memset(memory, 0xa5, sizeof memory);                                                      \
    CHECK(fencepost_##name##_init(&ring, sizeof(int), 4, memory, need, 0) == 0);              \
    int element = -1;                                                                         \
    CHECK(fencepost_##name##_try_pop(&ring, &element) == EAGAIN);                             \
    CHECK(fencepost_##name##_pop_for(&ring, &element, &a_while) == ETIMEDOUT);                \
    CHECK(fencepost_##name##_pop_until(&ring, &element, &negative) == ETIMEDOUT);             \
    CHECK(fencepost_##name##_pop_for(&ring, &element, &no_time) == EINVAL);                   \
    CHECK(element == -1);                                                                     \
    for (int n = 0; n < 4; ++n) CHECK(fencepost_##name##_try_push(&ring, &n) == 0);           \
    CHECK(fencepost_##name##_size(&ring) == 4);                                               \
    CHECK(fencepost_##name##_try_push(&ring, &element) == EAGAIN);                            \
    CHECK(fencepost_##name##_push_for(&ring, &element, &a_while) == ETIMEDOUT);               \
    const struct timespec deadline = soon();                                                  \
    CHECK(fencepost_##name##_push_until(&ring, &element, &deadline) == ETIMEDOUT);            \
    CHECK(nanoseconds(now()) >= nanoseconds(deadline));                                       \
    CHECK(fencepost_##name##_push_until(&ring, &element, &no_time) == EINVAL);                \
    CHECK(!fencepost_##name##_closed(&ring));                                                 \
    fencepost_##name##_close(&ring);                                                          \
    CHECK(fencepost_##name##_closed(&ring));                                                  \
    CHECK(fencepost_##name##_push(&ring, &element) == EPIPE);                                 \
    CHECK(fencepost_##name##_try_push(&ring, &element) == EPIPE);                             \
    for (int n = 0; n < 4; ++n) {                                                             \
      CHECK(fencepost_##name##_pop(&ring, &element) == 0);                                    \
      CHECK(element == n);                                                                    \
    }                                                                                         \
    CHECK(fencepost_##name##_pop(&ring, &element) == EPIPE);                                  \
    CHECK(fencepost_##name##_try_pop(&ring, &element) == EPIPE);                              \
    CHECK(fencepost_##name##_pop_for(&ring, &element, &a_while) == EPIPE);                    \
    CHECK(errno == 4711);                                                                     \
    CHECK(fencepost_##name##_destroy(&ring) == 0);                                            \
    for (size_t n = need; n < sizeof memory; ++n) CHECK(memory[n] == 0xa5);                   \
    /* Who waits when it is closed is told, and a ring that is waited in is not destroyed. */ \
    CHECK(fencepost_##name##_init(&ring, sizeof(int), 4, NULL, 0, 0) == 0);                   \
    struct sleeper sleeper = {&ring, 0};                                                      \
    pthread_t other = start(name##_waits_for_the_end, &sleeper);                              \
    wait_until_it_sleeps(&sleeper);                                                           \
    CHECK(fencepost_##name##_destroy(&ring) == EBUSY);                                        \
    fencepost_##name##_close(&ring);                                                          \
    finish(other);                                                                            \
    CHECK(fencepost_##name##_destroy(&ring) == 0);                                            \
  }

EDGE_TESTS(spsc_ring)
EDGE_TESTS(mpmc_ring)
