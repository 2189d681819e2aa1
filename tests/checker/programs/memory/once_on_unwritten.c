// SPDX-License-Identifier: MIT
// pthread_once and call_once with a control that nobody has initialised: what lies there may say
// that all was done long ago.
//
// case: heap
// expect: all=violated:assertion at=once
//
// case: heap_c11
// flags: -DC11
// expect: all=violated:assertion at=once
//
// case: result_is_not_looked_at
// flags: -DUNASKED
// expect: all=violated:memory at=call
//
// case: initialised
// flags: -DINITIALISED
// expect: all=holds
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <threads.h>

#ifdef C11
#define CONTROL once_flag
#define FIRST ONCE_FLAG_INIT
#define CALL call_once
#else
#define CONTROL pthread_once_t
#define FIRST PTHREAD_ONCE_INIT
#define CALL pthread_once
#endif

static int calls;

static void count(void) {
  ++calls;
#ifdef UNASKED
  puts("called");
#endif
}

static void* call(void* control) {
  CALL((CONTROL*)control, count);  // @call
  return NULL;
}

int main(void) {
  CONTROL* const control = malloc(sizeof *control);
#ifdef INITIALISED
  const CONTROL first = FIRST;
  *control = first;
#endif
  pthread_t thread;
  pthread_create(&thread, NULL, call, control);
  pthread_join(thread, NULL);
#ifndef UNASKED
  assert(calls == 1);  // @once
#endif
  free(control);
  return 0;
}
