// SPDX-License-Identifier: MIT
// MP with a plain payload: weaken either side and it is a data race, whatever the machine.
//
// case: release_acquire
// flags: -DSTORE=release -DLOAD=acquire
// expect: all=holds executions=2
//
// case: relaxed_store
// flags: -DSTORE=relaxed -DLOAD=acquire
// expect: all=violated:data-race at=race
//
// case: relaxed_load
// flags: -DSTORE=release -DLOAD=relaxed
// expect: all=violated:data-race at=race
//
// case: release_acquire_waiting
// flags: -DSTORE=release -DLOAD=acquire -DWAIT
// expect: all=holds executions=1
//
// case: relaxed_load_waiting
// flags: -DSTORE=release -DLOAD=relaxed -DWAIT
// expect: all=violated:data-race at=race
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#define ORDER_(name) memory_order_##name
#define ORDER(name) ORDER_(name)

static int payload;
static atomic_int flag;

static void* send(void* unused) {
  (void)unused;
  payload = 42;  // @race
  atomic_store_explicit(&flag, 1, ORDER(STORE));
  return NULL;
}

static void* receive(void* unused) {
  (void)unused;
#ifdef WAIT
  while (!atomic_load_explicit(&flag, ORDER(LOAD)))
    ;
#else
  if (!atomic_load_explicit(&flag, ORDER(LOAD))) return NULL;
#endif
  int got = payload;  // @race
  assert(got == 42);
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, send, NULL);
  pthread_create(&b, NULL, receive, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}
