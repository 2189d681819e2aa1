// SPDX-License-Identifier: MIT
// The spin lock of the textbooks: each failed attempt writes again what is already there.
//
// case: acquire_release
// expect: all=holds
//
// case: relaxed_unlock
// flags: -DRELEASE=relaxed
// expect: all=violated:data-race at=race
//
// case: never_unlocked
// flags: -DFORGET
// expect: all=violated:non-termination at=spin
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifndef RELEASE
#define RELEASE release
#endif
#define ORDER_(name) memory_order_##name
#define ORDER(name) ORDER_(name)

static atomic_flag locked = ATOMIC_FLAG_INIT;
static int counter;

static void* add_one(void* unused) {
  (void)unused;
  while (atomic_flag_test_and_set_explicit(&locked, memory_order_acquire)) {  // @spin
  }
  counter++;  // @race
#ifndef FORGET
  atomic_flag_clear_explicit(&locked, ORDER(RELEASE));
#endif
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, add_one, NULL);
  pthread_create(&b, NULL, add_one, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  assert(counter == 2);
  return 0;
}
