// SPDX-License-Identifier: MIT
// What the C library answers to odd sizes and alignments. To change a block's size to nothing frees
// it, in glibc.
//
// case: freed_again
// flags: -DBODY=if(!resized)free(block)
// expect: all=violated:memory says="double free"
//
// case: written_afterwards
// flags: -DBODY=if(!resized)block[0]=1
// expect: all=violated:memory
//
// case: nothing_is_left
// flags: -DBODY=assert(!resized)
// expect: all=holds
//
// case: an_array_of_nothing
// flags: -DARRAY -DBODY=assert(!resized)
// expect: all=holds
//
// case: odd_alignments
// flags: -DBODY=alignments()
// expect: all=holds
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

static inline void alignments(void) {
  void* untouched = NULL;
  assert(posix_memalign(&untouched, 3, 8) == EINVAL);
  assert(posix_memalign(&untouched, 4, 8) == EINVAL);
  assert(posix_memalign(&untouched, 0, 8) == EINVAL);
  assert(posix_memalign(&untouched, 24, 8) == EINVAL);
  assert(untouched == NULL);
  assert(posix_memalign(&untouched, 64, 8) == 0 && (size_t)untouched % 64 == 0);
  free(untouched);
}

int main(void) {
  char* const block = malloc(8);
#ifdef ARRAY
  void* const resized = reallocarray(block, 0, 4);
#else
  void* const resized = realloc(block, 0);
#endif
  (void)resized;
  BODY;
  return 0;
}
