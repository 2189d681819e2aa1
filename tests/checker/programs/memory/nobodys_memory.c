// SPDX-License-Identifier: MIT
// Reads and writes where there is no memory: also where nobody looks at what was read.
//
// case: null
// expect: all=violated:memory at=read
//
// case: null_optimised
// flags: -O2
// expect: all=violated:memory at=read
//
// case: member
// flags: -DMEMBER
// expect: all=violated:memory at=read
//
// case: wild
// flags: -DADDRESS=0x123456789000
// expect: all=violated:memory at=read
//
// case: stack_of_no_thread
// flags: -DSTACK
// expect: all=violated:memory at=read
//
// case: lock_there
// flags: -DSTACK -DLOCK
// expect: all=violated:memory at=lock
//
// case: memory_of_the_library
// flags: -DLIBRARY
// expect: all=holds
#include <ctype.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

struct pair {
  int first, second;
};

static struct pair there;
static _Atomic(struct pair*) shared = &there;

#ifndef ADDRESS
#define ADDRESS 0
#endif

static void* take_away(void* unused) {
  (void)unused;
#ifdef STACK
  // A hundred megabytes below a local variable: where the stack of a later thread would be, or
  // none.
  int local = 0;
  atomic_store(&shared, (struct pair*)((uintptr_t)&local + (UINT64_C(100) << 20)));
#elif defined(LIBRARY)
  atomic_store(&shared, (struct pair*)*__ctype_b_loc());
#else
  atomic_store(&shared, (struct pair*)ADDRESS);
#endif
  return NULL;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, take_away, NULL);
  struct pair* const found = atomic_load(&shared);
#ifdef LOCK
  if (found != &there) pthread_mutex_lock((pthread_mutex_t*)found);  // @lock
#elif defined(MEMBER)
  int ignored = found->second;  // @read
  (void)ignored;
#else
  int ignored = found->first;  // @read
  (void)ignored;
#endif
  pthread_join(thread, NULL);
  return 0;
}
