// SPDX-License-Identifier: MIT
// What calloc has cleared, what realloc has moved and what bzero and its kin have written is
// written by the thread that called them, and an atomic object moves with the value that it has
// there.
//
// case: realloc_moves_what_was_written_last
// expect: all=holds executions=1
//
// case: realloc_while_another_thread_writes
// flags: -DRACE
// expect: all=violated:memory|data-race
//
// case: realloc_of_what_is_freed
// flags: -DFREED
// expect: all=violated:memory at=freed says="free"
//
// case: published_without_an_order_after_realloc
// flags: -DPUBLISH -DMAKE="realloc(malloc(8),64)"
// expect: c++20=violated:data-race x86=violated:data-race
//
// case: published_without_an_order_after_calloc
// flags: -DPUBLISH -DMAKE="calloc(1,8)"
// expect: c++20=violated:data-race x86=violated:data-race
//
// case: bzero
// flags: -DPUBLISH -DMAKE="block" -DBEFORE="bzero(block,8)"
// expect: c++20=violated:data-race
//
// case: mempcpy
// flags: -DPUBLISH -DMAKE="block" -DBEFORE="mempcpy(block,\"1234567\",8)"
// expect: c++20=violated:data-race
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#ifndef MAKE
#define MAKE NULL
#endif
#ifndef BEFORE
#define BEFORE (void)0
#endif

static char block[8];
static _Atomic(char*) published;
static atomic_int* cell;

static void* work(void* unused) {
  (void)unused;
#ifdef PUBLISH
  char* seen = atomic_load_explicit(&published, memory_order_relaxed);
  if (seen != NULL) assert(seen[0] != 99);
#else
  atomic_store(cell, 7);
#endif
  return NULL;
}

int main(void) {
  pthread_t a;
  cell = malloc(sizeof *cell);
  atomic_init(cell, 1);
  pthread_create(&a, NULL, work, NULL);
#if defined(PUBLISH)
  BEFORE;
  char* made = MAKE;
  atomic_store_explicit(&published, made == NULL ? block : made, memory_order_relaxed);
  pthread_join(a, NULL);
#elif defined(RACE)
  cell = realloc(cell, 64);
  pthread_join(a, NULL);
#elif defined(FREED)
  pthread_join(a, NULL);
  free((void*)cell);
  cell = realloc(cell, 64);  // @freed
#else
  pthread_join(a, NULL);
  cell = realloc(cell, 64);
  assert(atomic_load(cell) == 7);
#endif
  return 0;
}
