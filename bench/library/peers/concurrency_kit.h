/* SPDX-License-Identifier: MIT
 *
 * Concurrency Kit as a peer. Some of its headers are no C++, so whole timing loops are written in
 * C, where its functions inline.
 */
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ck_spinlock_fas: fetch-and-store spin lock. The lock is one unsigned int, 0 when free. */
void ck_spinlock_pairs(unsigned* lock, uint64_t pairs);
uint64_t ck_spinlock_fight(unsigned* lock, uint64_t* counters, const uint32_t* stop, uint64_t seed);

/* ck_ec: event counts. A zeroed word is a valid count. */
void ck_ec32_one_producer_increments(uint32_t* count, uint64_t increments);
void ck_ec32_many_producers_increments(uint32_t* count, uint64_t increments);
void ck_ec64_one_producer_increments(uint64_t* count, uint64_t increments);
void ck_ec64_many_producers_increments(uint64_t* count, uint64_t increments);

/* One increment, the current value, and waiting until the value is no longer `old`. */
void ck_ec32_one_producer_increment(uint32_t* count);
void ck_ec32_many_producers_increment(uint32_t* count);
uint32_t ck_ec32_current(const uint32_t* count);
void ck_ec32_one_producer_wait(uint32_t* count, uint32_t old);
void ck_ec32_many_producers_wait(uint32_t* count, uint32_t old);

/* ck_ring: a bounded ring of pointers, single producer, single consumer. */
struct ck_ring_spsc;
struct ck_ring_spsc* ck_ring_spsc_new(unsigned capacity);
void ck_ring_spsc_delete(struct ck_ring_spsc*);
uint64_t ck_ring_spsc_fill_and_drain(struct ck_ring_spsc*, uint64_t rounds, uint64_t items);
void ck_ring_spsc_produce(struct ck_ring_spsc*, uint64_t items);
uint64_t ck_ring_spsc_consume(struct ck_ring_spsc*, uint64_t items);

#ifdef __cplusplus
}
#endif
