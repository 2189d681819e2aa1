// SPDX-License-Identifier: MIT
// Freed memory: read, written, freed again, freed while another thread uses it.
//
// case: read
// flags: -DREAD
// expect: all=violated:memory at=bug says="free"
//
// case: write
// flags: -DWRITE
// expect: all=violated:memory at=bug says="free"
//
// case: atomic_read
// flags: -DATOMIC
// expect: all=violated:memory at=bug says="free"
//
// case: twice
// flags: -DTWICE
// expect: all=violated:memory at=bug says="free"
//
// case: not_the_start
// flags: -DINSIDE
// expect: all=violated:memory at=bug
//
// case: never_allocated
// flags: -DSTACK
// expect: all=violated:memory at=bug
//
// case: by_another_thread
// flags: -DTHREAD
// expect: all=violated:memory|data-race at=race says="free"
//
// case: after_a_join
// flags: -DTHREAD -DJOIN_FIRST
// expect: all=holds executions=1
//
// case: reused_is_not_freed
// flags: -DREUSE
// expect: all=holds executions=1
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

#ifdef THREAD
static void* read_it(void* argument) {
  int* cell = argument;
  assert(*cell == 5);  // @race
  return NULL;
}
#endif

int main(void) {
  int* cell = malloc(4 * sizeof *cell);
  cell[0] = 5;
#if defined(READ)
  free(cell);
  assert(*cell == 5);  // @bug
#elif defined(WRITE)
  free(cell);
  cell[3] = 6;  // @bug
#elif defined(ATOMIC)
  _Atomic int* atomic_cell = (_Atomic int*)malloc(sizeof(_Atomic int));
  atomic_init(atomic_cell, 1);
  free((void*)atomic_cell);
  atomic_fetch_add(atomic_cell, 1);  // @bug
  free(cell);
#elif defined(TWICE)
  free(cell);
  free(cell);  // @bug
#elif defined(INSIDE)
  free(cell + 1);  // @bug
#elif defined(STACK)
  int local[4] = {0};
  free(cell);
  void* volatile pointer = local;
  free(pointer);  // @bug
#elif defined(THREAD)
  pthread_t reader;
  pthread_create(&reader, NULL, read_it, cell);
#ifdef JOIN_FIRST
  pthread_join(reader, NULL);
  free(cell);
#else
  free(cell);  // @race
  pthread_join(reader, NULL);
#endif
#else
  free(cell);
  for (int i = 0; i < 100; i++) {
    int* again = malloc(4 * sizeof *again);
    again[3] = i;
    assert(again[3] == i);
    free(again);
  }
#endif
  return 0;
}
