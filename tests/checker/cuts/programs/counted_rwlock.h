// SPDX-License-Identifier: MIT
// A read-write lock of one atomic word, against which the checker's own is compared: the order of
// all that is done to it, that of readers among themselves too, is a modification order. As with
// the real one a reader learns of the writers before it and of no readers, so readers change the
// word relaxed; they say where their sections end in counters of their own, and a writer waits
// until the counters are what the word says.
//
// With WRITERS_FIRST a writer that finds somebody inside says in the word that it waits, and
// readers let it pass. One that finds nobody is not seen to wait: who tries in vain to read would
// learn of it, and could come before it as a writer.
#pragma once
#include <stdatomic.h>
#include <stdbool.h>

enum { COUNTED_THREADS = 4 };

typedef struct {
  _Atomic unsigned long word;  // readers, the writer's bit, who waits, sections of each thread
  _Atomic unsigned done[COUNTED_THREADS];
  unsigned own[COUNTED_THREADS];
} counted_rwlock;

static const unsigned long counted_readers = 0xff;
static const unsigned long counted_writer = 0x100;
#ifdef WRITERS_FIRST
static const unsigned long counted_waiting = 0x200;
static const unsigned long counted_all_waiting = 0xfe00;
#else
static const unsigned long counted_waiting = 0;
static const unsigned long counted_all_waiting = 0;
#endif

static inline unsigned counted_shift(int thread) { return 16 + 8 * (unsigned)thread; }

static inline bool counted_read(counted_rwlock* l, int thread, bool waits) {
  const unsigned long section = 1 + (1UL << counted_shift(thread));
  for (;;) {
    unsigned long seen = atomic_load_explicit(&l->word, memory_order_relaxed);
    if ((seen & (counted_writer | counted_all_waiting)) != 0) {
      if (!waits) return false;
      continue;
    }
    if (atomic_compare_exchange_strong_explicit(&l->word, &seen, seen + section,
                                                memory_order_acquire, memory_order_relaxed)) {
      return true;
    }
  }
}

static inline void counted_read_unlock(counted_rwlock* l, int thread) {
  atomic_store_explicit(&l->done[thread], ++l->own[thread], memory_order_release);
  atomic_fetch_sub_explicit(&l->word, 1, memory_order_relaxed);
}

static inline bool counted_write(counted_rwlock* l, bool waits) {
  unsigned long announced = 0;
  for (;;) {
    unsigned long seen = atomic_load_explicit(&l->word, memory_order_relaxed);
    if ((seen & (counted_writer | counted_readers)) != 0) {
      if (!waits) return false;
      if (announced != counted_waiting &&
          atomic_compare_exchange_strong_explicit(&l->word, &seen, seen + counted_waiting,
                                                  memory_order_relaxed, memory_order_relaxed)) {
        announced = counted_waiting;
      }
      continue;
    }
    if (!atomic_compare_exchange_strong_explicit(&l->word, &seen, seen + counted_writer - announced,
                                                 memory_order_acquire, memory_order_relaxed)) {
      continue;
    }
    for (int t = 0; t < COUNTED_THREADS; ++t) {
      const unsigned sections = seen >> counted_shift(t) & 0xff;
      while (atomic_load_explicit(&l->done[t], memory_order_acquire) < sections) {
      }
    }
    return true;
  }
}

static inline void counted_write_unlock(counted_rwlock* l) {
  atomic_fetch_sub_explicit(&l->word, counted_writer, memory_order_release);
}
