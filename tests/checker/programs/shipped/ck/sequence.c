// SPDX-License-Identifier: MIT
// Concurrency Kit's sequence lock, on C11.
//
// case: one_writer_one_reader
// expect: c++20=holds
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

#include "ck_on_c11.h"

static ck_sequence_t sequence = CK_SEQUENCE_INITIALIZER;
static int first, second;

static void* write_both(void* unused) {
  ck_sequence_write_begin(&sequence);
  ck_pr_store_int(&first, 1);
  ck_pr_store_int(&second, 1);
  ck_sequence_write_end(&sequence);
  return unused;
}

int main(void) {
  pthread_t writer;
  pthread_create(&writer, NULL, write_both, NULL);
  unsigned int version = 0;
  int one = 0;
  int two = 0;
  do {
    version = ck_sequence_read_begin(&sequence);
    one = ck_pr_load_int(&first);
    two = ck_pr_load_int(&second);
  } while (ck_sequence_read_retry(&sequence, version));
  assert(one == two);
  pthread_join(writer, NULL);
  return 0;
}
