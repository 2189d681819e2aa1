/* SPDX-License-Identifier: MIT */
#include "concurrency_kit.h"

#include <ck_ec.h>
#include <ck_ring.h>
#include <ck_spinlock.h>
#include <errno.h>
#include <linux/futex.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* The work of a section and between sections, as in locks.hpp. */

static inline void work_outside(uint64_t* state) {
  for (int step = 0; step != 10; ++step) {
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    __asm__ volatile("" : "+r"(*state));
  }
}

void ck_spinlock_pairs(unsigned* word, uint64_t pairs) {
  struct ck_spinlock_fas* lock = (struct ck_spinlock_fas*)word;
  for (uint64_t n = 0; n != pairs; ++n) {
    ck_spinlock_fas_lock(lock);
    ck_spinlock_fas_unlock(lock);
  }
}

uint64_t ck_spinlock_fight(unsigned* word, uint64_t* counters, const uint32_t* stop,
                           uint64_t seed) {
  struct ck_spinlock_fas* lock = (struct ck_spinlock_fas*)word;
  uint64_t done = 0;
  while (__atomic_load_n(stop, __ATOMIC_RELAXED) == 0) {
    ck_spinlock_fas_lock(lock);
    for (int n = 0; n != 4; ++n) ++counters[n];
    ck_spinlock_fas_unlock(lock);
    work_outside(&seed);
    ++done;
  }
  return done;
}

/* The operations that ck_ec leaves to its users: the clock and the Linux futex. */

static int read_clock(const struct ck_ec_ops* ops, struct timespec* out) {
  (void)ops;
  return clock_gettime(CLOCK_MONOTONIC, out);
}

static void futex_wait(const uint32_t* word, uint32_t expected, const struct timespec* deadline) {
  syscall(SYS_futex, word, FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG, expected, deadline, NULL,
          FUTEX_BITSET_MATCH_ANY);
}

static void wait32(const struct ck_ec_wait_state* state, const uint32_t* word, uint32_t expected,
                   const struct timespec* deadline) {
  (void)state;
  futex_wait(word, expected, deadline);
}

static void wait64(const struct ck_ec_wait_state* state, const uint64_t* word, uint64_t expected,
                   const struct timespec* deadline) {
  (void)state;
  futex_wait((const uint32_t*)word, (uint32_t)expected, deadline);
}

static void wake32(const struct ck_ec_ops* ops, const uint32_t* word) {
  (void)ops;
  syscall(SYS_futex, word, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, INT32_MAX, NULL, NULL, 0);
}

static void wake64(const struct ck_ec_ops* ops, const uint64_t* word) {
  wake32(ops, (const uint32_t*)word);
}

static const struct ck_ec_ops linux_futex = {
    .gettime = read_clock,
    .wait32 = wait32,
    .wait64 = wait64,
    .wake32 = wake32,
    .wake64 = wake64,
};
static const struct ck_ec_mode one_producer = {.ops = &linux_futex, .single_producer = true};
static const struct ck_ec_mode many_producers = {.ops = &linux_futex, .single_producer = false};

void ck_ec32_one_producer_increments(uint32_t* count, uint64_t increments) {
  for (uint64_t n = 0; n != increments; ++n) ck_ec32_inc((struct ck_ec32*)count, &one_producer);
}

void ck_ec32_many_producers_increments(uint32_t* count, uint64_t increments) {
  for (uint64_t n = 0; n != increments; ++n) ck_ec32_inc((struct ck_ec32*)count, &many_producers);
}

void ck_ec64_one_producer_increments(uint64_t* count, uint64_t increments) {
  for (uint64_t n = 0; n != increments; ++n) ck_ec64_inc((struct ck_ec64*)count, &one_producer);
}

void ck_ec64_many_producers_increments(uint64_t* count, uint64_t increments) {
  for (uint64_t n = 0; n != increments; ++n) ck_ec64_inc((struct ck_ec64*)count, &many_producers);
}

void ck_ec32_one_producer_increment(uint32_t* count) {
  ck_ec32_inc((struct ck_ec32*)count, &one_producer);
}

void ck_ec32_many_producers_increment(uint32_t* count) {
  ck_ec32_inc((struct ck_ec32*)count, &many_producers);
}

uint32_t ck_ec32_current(const uint32_t* count) {
  return ck_ec32_value((const struct ck_ec32*)count);
}

void ck_ec32_one_producer_wait(uint32_t* count, uint32_t old) {
  ck_ec32_wait((struct ck_ec32*)count, &one_producer, old, NULL);
}

void ck_ec32_many_producers_wait(uint32_t* count, uint32_t old) {
  ck_ec32_wait((struct ck_ec32*)count, &many_producers, old, NULL);
}

struct ck_ring_spsc {
  ck_ring_t ring;
  ck_ring_buffer_t* buffer;
};

struct ck_ring_spsc* ck_ring_spsc_new(unsigned capacity) {
  struct ck_ring_spsc* ends = aligned_alloc(64, (sizeof *ends + 63) / 64 * 64);
  ends->buffer = calloc(capacity, sizeof *ends->buffer);
  ck_ring_init(&ends->ring, capacity);
  return ends;
}

void ck_ring_spsc_delete(struct ck_ring_spsc* ends) {
  free(ends->buffer);
  free(ends);
}

static inline void push(struct ck_ring_spsc* ends, uint64_t item) {
  while (!ck_ring_enqueue_spsc(&ends->ring, ends->buffer, (const void*)(uintptr_t)item))
    ck_pr_stall();
}

static inline uint64_t pop(struct ck_ring_spsc* ends) {
  void* item;
  while (!ck_ring_dequeue_spsc(&ends->ring, ends->buffer, &item)) ck_pr_stall();
  __asm__ volatile("" : "+r"(item));
  return (uint64_t)(uintptr_t)item;
}

uint64_t ck_ring_spsc_fill_and_drain(struct ck_ring_spsc* ends, uint64_t rounds, uint64_t items) {
  uint64_t sum = 0;
  for (uint64_t round = 0; round != rounds; ++round) {
    for (uint64_t item = 0; item != items; ++item) push(ends, item);
    for (uint64_t item = 0; item != items; ++item) sum += pop(ends);
  }
  return sum;
}

void ck_ring_spsc_produce(struct ck_ring_spsc* ends, uint64_t items) {
  for (uint64_t item = 0; item != items; ++item) push(ends, item);
}

uint64_t ck_ring_spsc_consume(struct ck_ring_spsc* ends, uint64_t items) {
  uint64_t sum = 0;
  for (uint64_t item = 0; item != items; ++item) sum += pop(ends);
  return sum;
}
