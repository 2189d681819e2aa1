/* SPDX-License-Identifier: MIT
 *
 * A box holds a pointer to an object of two words, which readers read and writers replace. Each
 * peer brings whole loops over it, compiled in its own language. The loops make known to the peer
 * the thread that they run in, and forget it at the end; _delete waits until all is reclaimed.
 */
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define BENCH_BOX(name)                                             \
  struct name##_box;                                                \
  struct name##_box* name##_new(void);                              \
  void name##_delete(struct name##_box*);                           \
  /* So many protected reads, each of the pointer and the object */ \
  void name##_reads(struct name##_box*, uint64_t reads);            \
  /* So many objects replaced by new ones, and the old retired */   \
  void name##_replaces(struct name##_box*, uint64_t objects)

BENCH_BOX(urcu_memb);
BENCH_BOX(urcu_qsbr);
BENCH_BOX(urcu_bp);
BENCH_BOX(urcu_mb);
BENCH_BOX(ck_epoch);
BENCH_BOX(ck_hp);
BENCH_BOX(crossbeam_epoch);
BENCH_BOX(seize);
BENCH_BOX(haphazard);

#undef BENCH_BOX

#ifdef __cplusplus
}
#endif
