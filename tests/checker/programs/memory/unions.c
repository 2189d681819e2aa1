// SPDX-License-Identifier: MIT
// A union of an atomic object and plain parts of it.
//
// case: parts_are_written_before_anybody_looks
// expect: all=holds executions=1
// expect: c++14=holds executions=1
//
// case: a_part_is_written_while_the_whole_is_read
// flags: -DLATE
// expect: all=violated:data-race at=part
//
// case: a_part_is_read_after_the_whole_was_acquired
// flags: -DACQUIRED
// expect: all=holds
//
// case: a_part_is_read_after_the_whole_was_looked_at
// flags: -DACQUIRED -DORDER=memory_order_relaxed
// expect: all=violated:data-race at=look
//
// case: two_atomic_objects_of_one_size
// flags: -DTWO_NAMES
// expect: all=holds executions=2
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifndef ORDER
#define ORDER memory_order_acquire
#endif

static union {
  struct {
    unsigned short low;
    unsigned short high;
  } parts;
  atomic_uint whole;
  atomic_int signed_whole;
} word;

static void* work(void* unused) {
  (void)unused;
#if defined(ACQUIRED)
  if (atomic_load_explicit(&word.whole, ORDER) == 0x20001) {
    assert(word.parts.high == 2);  // @look
  }
#elif defined(TWO_NAMES)
  const int seen = atomic_load(&word.signed_whole);
  assert(seen == 0x20001 || seen == -1);
#else
  const unsigned seen = atomic_load(&word.whole);  // @part
  assert(seen == 0x20001);
#endif
  return NULL;
}

int main(void) {
  pthread_t t;
#ifdef ACQUIRED
  pthread_create(&t, NULL, work, NULL);
  atomic_store_explicit(&word.whole, 0x20001, memory_order_release);
#else
  word.parts.low = 1;
  word.parts.high = 2;
  pthread_create(&t, NULL, work, NULL);
#ifdef LATE
  word.parts.low = 1;  // @part
#endif
#ifdef TWO_NAMES
  atomic_store(&word.whole, 0xffffffff);
#endif
#endif
  pthread_join(t, NULL);
  return 0;
}
