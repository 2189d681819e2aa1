// SPDX-License-Identifier: MIT
// MP with an atomic payload: no race to find, only a stale value.
//
// case: relaxed
// flags: -DSTORE=relaxed -DLOAD=relaxed
// expect: c++20=violated:assertion x86=holds sc=holds executions=3 at=stale
//
// case: release_only
// flags: -DSTORE=release -DLOAD=relaxed
// expect: c++20=violated:assertion x86=holds sc=holds executions=3 at=stale
//
// case: acquire_only
// flags: -DSTORE=relaxed -DLOAD=acquire
// expect: c++20=violated:assertion x86=holds sc=holds executions=3 at=stale
//
// case: release_acquire
// flags: -DSTORE=release -DLOAD=acquire
// expect: all=holds executions=3
//
// case: fences
// flags: -DSTORE=relaxed -DLOAD=relaxed -DFENCES
// expect: all=holds executions=3
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#define ORDER_(name) memory_order_##name
#define ORDER(name) ORDER_(name)

static atomic_int payload, flag;

static void* send(void* unused) {
  (void)unused;
  atomic_store_explicit(&payload, 42, memory_order_relaxed);
#ifdef FENCES
  atomic_thread_fence(memory_order_release);
#endif
  atomic_store_explicit(&flag, 1, ORDER(STORE));
  return NULL;
}

static void* receive(void* unused) {
  (void)unused;
  int sent = atomic_load_explicit(&flag, ORDER(LOAD));
#ifdef FENCES
  atomic_thread_fence(memory_order_acquire);
#endif
  int got = atomic_load_explicit(&payload, memory_order_relaxed);
  assert(!(sent == 1 && got == 0));  // @stale
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
