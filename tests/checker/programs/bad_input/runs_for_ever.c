// SPDX-License-Identifier: MIT
// A thread that never stops, with and without anything that the checker can see.
//
// case: writes_for_ever
// flags: -DLOOP="for(;;)atomic_fetch_add(&x,1);"
// expect: all=inconclusive at=loop
//
// case: computes_for_ever
// flags: -DLOOP="volatile unsigned n=0;for(;;)n++;"
// expect: all=inconclusive|violated:non-termination at=loop
//
// case: stands_still
// flags: -DLOOP="for(;;)atomic_signal_fence(memory_order_seq_cst);"
// expect: all=inconclusive|violated:non-termination
//
// case: allocates_for_ever
// flags: -DLOOP="for(;;)keep(malloc(1<<20));"
// expect: all=inconclusive|violated:memory at=loop
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

static atomic_int x;
static void* volatile kept;

void keep(void* memory);
void keep(void* memory) { kept = memory; }

static void* work(void* unused) {
  (void)unused;
  LOOP  // @loop
      return NULL;
}

int main(void) {
  pthread_t worker;
  pthread_create(&worker, NULL, work, NULL);
  pthread_join(worker, NULL);
  (void)x;
  (void)kept;
  return 0;
}
