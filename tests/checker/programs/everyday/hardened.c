// SPDX-License-Identifier: MIT
// As distributions compile: functions of the C library check what they write, and the stack is
// guarded.
//
// case: calls_that_check
// flags: -O2 -D_FORTIFY_SOURCE=2 -fstack-protector-strong -fstack-clash-protection -Wformat
// expect: all=holds
//
// case: calls_that_check_more
// flags: -O1 -D_FORTIFY_SOURCE=3
// expect: all=holds
//
// case: calls_that_check_as_cpp
// flags: -O2 -D_FORTIFY_SOURCE=2 -x c++
// expect: all=holds
//
// case: calls_that_check_with_clang
// flags: -O2 -D_FORTIFY_SOURCE=2 -fstack-protector-strong
// options: --cc clang-14
// expect: all=holds
//
// case: calls_that_check_beside_a_race
// flags: -O2 -D_FORTIFY_SOURCE=2 -DRACE
// expect: all=violated:data-race at=shared
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static int shared;

static void* run(void* argument) {
  char text[32];
  snprintf(text, sizeof text, "%d of %s", 1, "two");
  char copy[32];
  strcpy(copy, text);
  sprintf(text, "%s!", copy);
  memset(copy, 0, sizeof copy);
  memcpy(copy, text, strlen(text));
  printf("%s\n", copy);
  fprintf(stderr, "%s %d\n", copy, 2);
#ifdef RACE
  shared = 1;  // @shared
#endif
  return argument;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, run, NULL);
#ifdef RACE
  shared = 2;  // @shared
#endif
  pthread_join(thread, NULL);
  assert(shared >= 0);
  return 0;
}
