// SPDX-License-Identifier: MIT
// Behind a heap block's end, within the eight bytes that it ends in.
//
// case: after_the_block_itself
// flags: -DAFTER=1
// expect: all=violated:memory at=outside says=outside.any.allocated.block
//
// case: a_wide_access_that_begins_inside
// flags: -DWIDE
// expect: all=violated:memory at=outside says=outside.any.allocated.block
//
// case: after_an_atomic_operation
// flags: -DATOMIC
// expect: all=violated:memory at=outside says=outside.any.allocated.block
//
// case: by_a_library_function
// flags: -DCOPY
// expect: all=violated:memory at=outside says=outside.any.allocated.block
//
// case: the_last_byte_of_an_odd_size
// flags: -DODD
// expect: all=violated:memory at=outside says=outside.any.allocated.block
//
// case: a_smaller_block_in_a_larger_ones_place
// flags: -DAGAIN
// options: --reuse=all
// expect: all=violated:memory at=outside says=outside.any.allocated.block
//
// case: all_of_the_block
// flags: -DINSIDE
// expect: all=holds
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
  int* const block = malloc(sizeof *block);
  block[0] = 1;
#if defined(AFTER)
  block[AFTER] = 7;  // @outside
#elif defined(WIDE)
  *(long*)block = 7;  // @outside
#elif defined(ATOMIC)
  atomic_int* const shared = malloc(sizeof *shared);
  atomic_store(shared, 1);
  ((int*)shared)[1] = 1;  // @outside
  free(shared);
#elif defined(COPY)
  const char text[] = "too long";
  memcpy(block, text, 5);  // @outside
#elif defined(ODD)
  char* const text = malloc(11);
  memset(text, 0, 11);
  text[11] = 0;  // @outside
#elif defined(AGAIN)
  char* const large = malloc(64);
  memset(large, 0, 64);
  const unsigned long was = (unsigned long)large;
  free(large);
  char* const small = malloc(63);
  memset(small, 0, 63);
  if ((unsigned long)small == was) small[63] = 1;  // @outside
  free(small);
#else
  char* const text = malloc(11);
  memset(text, 0, 11);
  free(text);
#endif
  free(block);
  return 0;
}
