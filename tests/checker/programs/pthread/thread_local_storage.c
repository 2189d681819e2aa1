// SPDX-License-Identifier: MIT
// Each thread has its own copy, and a key's destructor runs when its thread ends.
//
// case: keyword_and_key
// expect: all=holds executions=2
//
// case: shared_after_all
// flags: -DSHARED
// expect: all=violated:data-race at=own
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

#ifdef SHARED
static int own = 1;
#else
static _Thread_local int own = 1;
#endif
static pthread_key_t key;
static atomic_int destroyed;

static void destroy(void* value) {
  free(value);
  atomic_fetch_add_explicit(&destroyed, 1, memory_order_relaxed);
}

static void* work(void* unused) {
  (void)unused;
  int* count = malloc(sizeof *count);
  *count = 0;
  assert(pthread_getspecific(key) == NULL);
  pthread_setspecific(key, count);
  own += 1;  // @own
  assert(own == 2);
  assert(pthread_getspecific(key) == count);
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_key_create(&key, destroy);
  pthread_create(&a, NULL, work, NULL);
  pthread_create(&b, NULL, work, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  assert(atomic_load(&destroyed) == 2);
#ifndef SHARED
  assert(own == 1);
#endif
  pthread_key_delete(key);
  return 0;
}
