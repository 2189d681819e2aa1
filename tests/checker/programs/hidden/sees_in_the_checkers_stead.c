// SPDX-License-Identifier: MIT
// The program, or a flag, puts functions in the place of those by which it is watched.
//
// case: defines_one
// flags: -DOWN
// expect: all=refused says="defines '__tsan_write4', by which the checker would see it"
//
// case: wraps_one
// flags: -Wl,--wrap=__tsan_write4
// expect: all=error says="-Wl,--wrap=__tsan_write4"
//
// case: neither
// expect: all=violated:data-race
#include <pthread.h>
#include <stddef.h>

static int count;

#ifdef OWN
void __tsan_write4(void* where);
void __tsan_write4(void* where) { (void)where; }
#endif

static void* add(void* unused) {
  ++count;
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, add, NULL);
  add(NULL);
  pthread_join(thread, NULL);
  return 0;
}
