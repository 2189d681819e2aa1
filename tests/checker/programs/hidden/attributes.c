// SPDX-License-Identifier: MIT
// Functions that ask not to be instrumented race all the same.
//
// case: by_name
// flags: -DQUIET=no_sanitize_thread
// expect: all=data-race at=write
//
// case: with_underscores
// flags: -DQUIET=__no_sanitize_thread__
// expect: all=data-race at=write
//
// case: by_sanitizer
// flags: -DQUIET=no_sanitize(\"thread\")
// expect: all=data-race at=write
//
// case: behind_a_macro
// flags: -DHIDDEN
// expect: all=data-race at=write
//
// case: switched_off
// flags: -DQUIET=noinline -fno-sanitize=thread
// expect: all=error says="-fno-sanitize=thread"
#include <pthread.h>
#include <stddef.h>

static int x;

#ifdef HIDDEN
#undef no_sanitize_thread
#define QUIET no_sanitize_thread
#endif

__attribute__((QUIET)) static void put(void) {
  x = 1;  // @write
}

static void* run(void* nothing) {
  put();
  return nothing;
}

int main(void) {
  pthread_t other;
  pthread_create(&other, NULL, run, NULL);
  put();
  pthread_join(other, NULL);
  return 0;
}
