/* SPDX-License-Identifier: MIT
 *
 * Maps from numbers of 64 bits to such numbers, each with a loop compiled in its own language; all
 * hash by hash_of_key() and draw keys and kinds of work as hash_maps.cpp does.
 */
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The finaliser of MurmurHash3. */
static inline uint64_t hash_of_key(uint64_t key) {
  key ^= key >> 33;
  key *= UINT64_C(0xff51afd7ed558ccd);
  key ^= key >> 33;
  key *= UINT64_C(0xc4ceb9fe1a85ec53);
  key ^= key >> 33;
  return key;
}

#define BENCH_MAP(name)                                                                        \
  struct name##_map;                                                                           \
  /* Room for as many as half of the keys, and every other key in it */                        \
  struct name##_map* name##_new(uint64_t keys);                                                \
  void name##_delete(struct name##_map*);                                                      \
  /* Works until `stop` is set: of 1024 operations so many look up, half of the others insert, \
   * half erase. Returns their number */                                                       \
  uint64_t name##_work(struct name##_map*, const uint32_t* stop, uint64_t seed, uint64_t keys, \
                       uint64_t lookups)

BENCH_MAP(urcu_memb_lfht);
BENCH_MAP(urcu_qsbr_lfht);
BENCH_MAP(dashmap);
BENCH_MAP(papaya);
BENCH_MAP(papaya_pinned);
BENCH_MAP(scc_hash_index);

#undef BENCH_MAP

#ifdef __cplusplus
}
#endif
