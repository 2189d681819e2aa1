// SPDX-License-Identifier: MIT
// Memory from mmap() is zeros that lie at a page, is gone once it is unmapped, and is nothing for
// free().
//
// case: used
// expect: all=holds
//
// case: shared_memory
// flags: -DHOW=MAP_SHARED
// expect: all=holds
//
// case: used_when_unmapped
// flags: -DUSED_WHEN_UNMAPPED
// expect: all=violated:memory
//
// case: freed
// flags: -DFREED
// expect: all=violated:memory says="which mmap.. has given"
//
// case: not_unmapped
// flags: -DNOT_UNMAPPED
// options: --leaks
// expect: all=holds
//
// case: unsynchronised
// flags: -DUNSYNCHRONISED
// expect: all=violated:data-race
//
// case: a_part_is_unmapped
// flags: -DSIZE=8192 -DUNMAPPED=4096
// expect: all=inconclusive says="a part of what mmap.. has given"
//
// case: of_a_file
// flags: -DHOW=0 -DFD=0
// expect: all=inconclusive says="maps a file"
//
// case: where_one_wishes
// flags: -DHOW=MAP_PRIVATE|MAP_FIXED
// expect: all=inconclusive says="chooses where the memory lies"
//
// case: only_reserved
// flags: -DPROTECTION=PROT_NONE
// expect: all=inconclusive says="other than memory to read and write"
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#ifndef HOW
#define HOW MAP_PRIVATE
#endif
#ifndef FD
#define FD -1
#endif
#ifndef PROTECTION
#define PROTECTION (PROT_READ | PROT_WRITE)
#endif
#ifndef SIZE
#define SIZE 5000
#endif
#ifndef UNMAPPED
#define UNMAPPED SIZE
#endif

struct page {
  int data;
  atomic_int ready;
};

static void* put(void* where) {
  struct page* page = where;
  page->data = 1;
#ifndef UNSYNCHRONISED
  atomic_store_explicit(&page->ready, 1, memory_order_release);
#else
  atomic_store_explicit(&page->ready, 1, memory_order_relaxed);
#endif
  return 0;
}

int main(void) {
  assert(mmap(0, 0, PROTECTION, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED &&
         errno == EINVAL);
  const int anonymous = FD < 0 ? MAP_ANONYMOUS : 0;
  unsigned char* bytes = mmap(0, SIZE, PROTECTION, HOW | anonymous, FD, 0);
  if (bytes == MAP_FAILED) return 1;
  assert((uintptr_t)bytes % 4096 == 0 && bytes[0] == 0 && bytes[SIZE - 1] == 0);
  assert(madvise(bytes, SIZE, MADV_HUGEPAGE) == 0 && mlock(bytes, SIZE) == 0);
  struct page* page = (struct page*)bytes;
  pthread_t thread;
  pthread_create(&thread, 0, put, page);
  if (atomic_load_explicit(&page->ready, memory_order_acquire)) assert(page->data == 1);
  pthread_join(thread, 0);
  assert(page->data == 1);
#ifdef FREED
  free(bytes);
#elif !defined NOT_UNMAPPED
  assert(munmap(bytes + 1, SIZE) == -1 && errno == EINVAL);
  assert(munmap(bytes, UNMAPPED) == 0);
#endif
#ifdef USED_WHEN_UNMAPPED
  page->data = 2;
#endif
  return 0;
}
