// SPDX-License-Identifier: MIT
// Semaphores used as they must not be.
//
// case: destroyed_after_the_last_use
// expect: all=holds executions=1
//
// case: destroyed_while_somebody_waits
// flags: -DDESTROY_EARLY
// expect: all=violated:memory|data-race
//
// case: posted_too_often
// flags: -DVALUE=SEM_VALUE_MAX -DFREE_EARLY
// expect: all=violated:memory at=post says="beyond SEM_VALUE_MAX"
//
// case: never_initialised
// flags: -DUNINITIALISED
// expect: all=violated:memory says="nobody has initialised"
//
// case: used_after_it_was_destroyed
// flags: -DUSE_AFTER
// expect: all=violated:memory at=use says="is destroyed"
//
// case: freed_by_who_was_waiting
// flags: -DON_HEAP
// expect: all=holds executions=1
//
// case: freed_too_early
// flags: -DON_HEAP -DFREE_EARLY
// expect: all=violated:memory|data-race
#include <limits.h>
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>
#include <stdlib.h>

#ifndef VALUE
#define VALUE 0
#endif

static sem_t in_data;
static sem_t* semaphore = &in_data;

static void* post(void* unused) {
  (void)unused;
  sem_post(semaphore);  // @post
  return NULL;
}

int main(void) {
  pthread_t a;
#ifdef ON_HEAP
  semaphore = malloc(sizeof *semaphore);
#endif
#ifndef UNINITIALISED
  sem_init(semaphore, 0, VALUE);
#endif
  pthread_create(&a, NULL, post, NULL);
#ifdef DESTROY_EARLY
  sem_destroy(semaphore);
#endif
#ifndef FREE_EARLY
  sem_wait(semaphore);
#endif
#if defined(ON_HEAP)
  free(semaphore);
#elif !defined(FREE_EARLY)
  sem_destroy(semaphore);
#endif
#ifdef USE_AFTER
  sem_post(semaphore);  // @use
#endif
  pthread_join(a, NULL);
  return 0;
}
