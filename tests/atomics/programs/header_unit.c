/* SPDX-License-Identifier: MIT */
/*
 * A translation unit that works on the shared objects: WORK and MEASURE are the names of its
 * functions. C99, C11 and C++.
 */
#include <stddef.h>

#include "header_shared.h"

#ifdef __cplusplus
extern "C" {
#endif
working WORK;
measuring MEASURE;
#ifdef __cplusplus
}
#endif

void WORK(struct shared* shared, struct node* own, int rounds) {
  for (int n = 0; n != rounds; ++n) {
    struct two_ints pair = atomic_load_explicit(&shared->pair, memory_order_relaxed), next_pair;
    struct two_longs wide = atomic_load(&shared->wide_pair), next_wide;
    struct three_longs triple = atomic_load_explicit(&shared->triple, memory_order_acquire), next;
    double real = atomic_load_explicit(&shared->real, memory_order_relaxed);
    struct node* head = atomic_load_explicit(&shared->head, memory_order_relaxed);
    atomic_fetch_add_explicit(&shared->small, (signed char)1, memory_order_relaxed);
    atomic_fetch_sub(&shared->medium, (short)1);
    atomic_fetch_add_explicit(&shared->large, 3, memory_order_acq_rel);
    atomic_fetch_xor(&shared->whole, 1 << n % 31);
    while (atomic_flag_test_and_set_explicit(&shared->flag, memory_order_acquire)) continue;
    shared->under_flag += 1;
    atomic_flag_clear_explicit(&shared->flag, memory_order_release);
    while (atomic_exchange_explicit(&shared->turn, 1, memory_order_acquire)) continue;
    shared->under_turn += 1;
    atomic_store_explicit(&shared->turn, 0, memory_order_release);
    do {
      next_pair.first = pair.first + 1;
      next_pair.second = pair.second - 1;
    } while (!atomic_compare_exchange_weak(&shared->pair, &pair, next_pair));
    do {
      next_wide.first = wide.first + 1;
      next_wide.second = wide.second - 2;
    } while (!atomic_compare_exchange_weak_explicit(&shared->wide_pair, &wide, next_wide,
                                                    memory_order_acq_rel, memory_order_acquire));
    do {
      next.first = triple.first + 1;
      next.second = triple.second + triple.first;
      next.third = triple.third - 1;
    } while (!atomic_compare_exchange_strong(&shared->triple, &triple, next));
    while (!atomic_compare_exchange_weak(&shared->real, &real, real + 1)) continue;
    do {
      own[n].next = head;
    } while (!atomic_compare_exchange_weak_explicit(&shared->head, &head, &own[n],
                                                    memory_order_release, memory_order_relaxed));
#if defined(WITH_THREE_BYTES)
    for (int which = -1; which != 3; ++which) {
      _Atomic(struct three_bytes)* const bytes = which < 0 ? &shared->bytes : &shared->each[which];
      struct three_bytes seen = atomic_load(bytes), wanted;
      do {
        wanted.first = (unsigned char)(seen.first + 1);
        wanted.second = (unsigned char)(seen.second + seen.first);
        wanted.third = (unsigned char)(seen.third - 1);
      } while (!atomic_compare_exchange_weak(bytes, &seen, wanted));
    }
#endif
  }
}

void MEASURE(long figure[figures]) {
  int n = 0;
  figure[n++] = (long)sizeof(struct shared);
  figure[n++] = (long)offsetof(struct shared, flag);
  figure[n++] = (long)offsetof(struct shared, small);
  figure[n++] = (long)offsetof(struct shared, medium);
  figure[n++] = (long)offsetof(struct shared, large);
  figure[n++] = (long)offsetof(struct shared, whole);
  figure[n++] = (long)offsetof(struct shared, turn);
  figure[n++] = (long)offsetof(struct shared, pair);
  figure[n++] = (long)offsetof(struct shared, wide_pair);
  figure[n++] = (long)offsetof(struct shared, triple);
  figure[n++] = (long)offsetof(struct shared, head);
  figure[n++] = (long)offsetof(struct shared, real);
  figure[n++] = (long)offsetof(struct shared, under_turn);
#if defined(WITH_THREE_BYTES)
  figure[n++] = (long)offsetof(struct shared, bytes);
  figure[n++] = (long)offsetof(struct shared, neighbour);
  figure[n++] = (long)offsetof(struct shared, each);
#endif
  while (n != figures) figure[n++] = 0;
}
