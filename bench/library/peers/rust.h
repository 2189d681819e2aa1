/* SPDX-License-Identifier: MIT
 *
 * What rust_peers exports: each function runs one whole timing loop in Rust.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define BENCH_RUST_LOCK(name)                                      \
  struct name##_section;                                           \
  struct name##_section* name##_new(void);                         \
  void name##_delete(struct name##_section*);                      \
  void name##_pairs(const struct name##_section*, uint64_t pairs); \
  uint64_t name##_fight(const struct name##_section*, const uint32_t* stop, uint64_t seed)

BENCH_RUST_LOCK(parking_lot);
BENCH_RUST_LOCK(parking_lot_0_12);
BENCH_RUST_LOCK(rust_std);

#define BENCH_RUST_SHARED_LOCK(name)                                                 \
  struct name##_section;                                                             \
  struct name##_section* name##_new(void);                                           \
  void name##_delete(struct name##_section*);                                        \
  uint64_t name##_read_and_write(const struct name##_section*, const uint32_t* stop, \
                                 uint64_t seed, uint32_t writes);                    \
  bool name##_is_whole(const struct name##_section*)

BENCH_RUST_SHARED_LOCK(parking_lot_rwlock);
BENCH_RUST_SHARED_LOCK(rust_std_rwlock);

#define BENCH_RUST_RING(name)                                                           \
  struct name##_ends;                                                                   \
  struct name##_ends* name##_new(size_t capacity);                                      \
  void name##_delete(struct name##_ends*);                                              \
  uint64_t name##_fill_and_drain(struct name##_ends*, uint64_t rounds, uint64_t items); \
  void name##_produce(struct name##_ends*, uint64_t items);                             \
  uint64_t name##_consume(struct name##_ends*, uint64_t items)

BENCH_RUST_RING(rtrb);
BENCH_RUST_RING(ringbuf);

#undef BENCH_RUST_LOCK
#undef BENCH_RUST_SHARED_LOCK
#undef BENCH_RUST_RING

#ifdef __cplusplus
}
#endif
